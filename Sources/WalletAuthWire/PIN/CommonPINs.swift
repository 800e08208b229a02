/// The most common PINs, described by rules instead of listed where possible. A device refuses to set them, and so does
/// the server for an account's PIN.
public enum CommonPINs {
    /// Whether a PIN is one of them.
    /// - Parameter digits: each from 0 to 9.
    public static func contain(_ digits: [Int]) -> Bool {
        Set(digits).count < 3 || isRow(digits) || isRepeated(digits) || hasRowsForHalves(digits) || isDoubledRow(digits)
            || isYear(digits) || listed.contains(digits.map(String.init).joined())
    }

    /// Digits with a constant step, wrapping around between 9 and 0.
    private static func isRow(_ digits: some Collection<Int>) -> Bool {
        let steps = zip(digits, digits.dropFirst()).map { ($1 - $0 + 10) % 10 }
        return steps.allSatisfy { $0 == steps.first }
    }

    private static func isRepeated(_ digits: [Int]) -> Bool {
        guard digits.count > 3 else { return false }
        return (1...digits.count / 2).contains { length in
            digits.count % length == 0 && digits.indices.allSatisfy { digits[$0] == digits[$0 % length] }
        }
    }

    /// Applies to halves with three digits or more, because any two digits are a sequence.
    private static func hasRowsForHalves(_ digits: [Int]) -> Bool {
        guard digits.count >= 6, digits.count % 2 == 0 else { return false }
        return isNeighborRow(digits.prefix(digits.count / 2)) && isNeighborRow(digits.suffix(digits.count / 2))
    }

    /// A sequence with a step of one, or of zero.
    private static func isNeighborRow(_ digits: some Collection<Int>) -> Bool {
        guard isRow(digits), let first = digits.first, let second = digits.dropFirst().first else { return false }
        return [0, 1, 9].contains((second - first + 10) % 10)
    }

    private static func isDoubledRow(_ digits: [Int]) -> Bool {
        guard digits.count % 2 == 0 else { return false }
        let pairs = stride(from: 0, to: digits.count, by: 2).map { (digits[$0], digits[$0 + 1]) }
        return pairs.allSatisfy { $0 == $1 } && isNeighborRow(pairs.map(\.0))
    }

    private static func isYear(_ digits: [Int]) -> Bool {
        guard digits.count == 4 else { return false }
        return (1930...2039).contains(digits.reduce(0) { $0 * 10 + $1 })
    }

    /// Keypad lines and patterns, keypad words, constants, and other ways of counting.
    private static let listed: Set<String> = Set(
        """
        1004 1379 1397 3179 3971 7139 7931 9713 9317 2580 0852 1590 0951 3570 0753 3690 0963 1470 0741 1593 3571 7593
        5683 1337 2486 8426 4268 1302 1029 1007 7410 3698 9632 8520
        12580 02580 08520 13579 24680 97531 86420 14789 98741 25800 15937 75395
        147258 258147 258369 369258 147369 369147 147852 852147 258963 963258 852456 456852 741852 852741 852963 963852
        159357 357159 159753 753159 951357 357951 951753 753951 741963 963741 123654 321654 654123 147896 789632
        102030 203040 121314 131415 101112 142536 415263 135246 246135 246810 108642 135792 112358 314159 271828 141421
        161803 520131 521314 123454 543212 123450 012340 134679 976431 159632 142857 192837 918273 100200 102938
        1234554 1472583 1478963 1020304 3141592 2718281 1123581
        12344321 14725836 36925814 14789632 10203040 31415926 27182818 11235813 12131415 10111213 52013140 15935728
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
