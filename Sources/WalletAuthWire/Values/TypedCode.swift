/// Codes as people type them: ASCII digits, possibly with spaces between them.
public enum TypedCode {
    /// Whether the input can be a code at all. Input that cannot be one is not compared, and costs no try.
    /// - Parameters:
    ///   - typed: the input.
    ///   - digits: the number of digits; nil if unknown, but no code is shorter than six.
    public static func isPossible(_ typed: String, digits: Int? = nil) -> Bool {
        let code = typed.filter { !$0.isWhitespace }
        guard !code.isEmpty, code.utf8.allSatisfy(ASCII.isDigit) else { return false }
        return digits.map { $0 == code.utf8.count } ?? (code.utf8.count >= 6)
    }
}
