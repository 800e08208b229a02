/// Codes as people type them: ASCII digits, possibly with spaces between them.
public enum TypedCode {
    /// Whether the input can be a code at all. Input that cannot be one is not compared, and costs no try.
    /// - Parameters:
    ///   - typed: the input.
    ///   - digits: the number of digits; nil if unknown.
    ///   - shortest: the fewest digits, if their number is unknown.
    public static func isPossible(_ typed: String, digits: Int? = nil, shortest: Int = 1) -> Bool {
        let code = typed.filter { !$0.isWhitespace }
        guard code.utf8.allSatisfy(ASCII.isDigit) else { return false }
        return digits.map { $0 == code.utf8.count } ?? (code.utf8.count >= shortest)
    }
}
