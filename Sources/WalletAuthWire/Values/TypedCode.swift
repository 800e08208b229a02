/// Codes as people type them: ASCII digits, between which they may leave spaces.
public enum TypedCode {
    /// Whether what was typed can be a code at all. What cannot be one is not compared, and costs no try.
    /// - Parameters:
    ///   - typed: as typed.
    ///   - digits: how many digits the code has; nil where that is not known.
    public static func isPossible(_ typed: String, digits: Int? = nil) -> Bool {
        let code = typed.filter { !$0.isWhitespace }
        guard !code.isEmpty, code.utf8.allSatisfy(ASCII.isDigit) else { return false }
        return digits.map { $0 == code.utf8.count } ?? true
    }
}
