/// A list of stolen and published passwords.
package protocol BreachSource: Sendable {
    /// For the log and the metrics.
    var name: String { get }

    /// The number of times a password was found in breaches; 0 if it was not.
    /// - Throws: an error if that is not known.
    func count(of digest: BreachDigest) async throws -> Int

    /// The fault of the list; `nil` if it can be searched.
    func examine() async -> String?
}

/// An entry in the format of Pwned Passwords: hexadecimal digits, a colon and the count.
struct BreachEntry {
    /// In upper case.
    var digits: [UInt8]
    var count: Int

    /// - Parameters:
    ///   - line: without its line break.
    ///   - length: the required number of digits.
    init?(_ line: some Collection<UInt8>, digits length: Int) {
        let digits = line.prefix(length).compactMap(Self.upper)
        let rest = line.dropFirst(length)
        guard digits.count == length, rest.first == UInt8(ascii: ":"), (2...19).contains(rest.count),
            let count = Int(String(decoding: rest.dropFirst(), as: UTF8.self)), count >= 0
        else { return nil }
        self.digits = digits
        self.count = count
    }

    private static func upper(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"): digit
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 0x20
        default: nil
        }
    }
}
