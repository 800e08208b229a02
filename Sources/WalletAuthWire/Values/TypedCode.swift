/// Codes as people type and paste them.
public enum TypedCode {
    /// A code in the form in which it is compared: digits of any script are ASCII digits, full-width characters are their
    /// ASCII twins, and white space, dashes and invisible characters are gone. Everything else stays, so that text that is
    /// no code does not become one.
    /// - Parameter typed: the input.
    public static func normalized(_ typed: String) -> String {
        var code = String.UnicodeScalarView()
        for scalar in typed.unicodeScalars {
            if scalar.properties.isWhitespace || isSeparator(scalar) { continue }
            if scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue,
                let digit = Unicode.Scalar(UInt32(0x30) + UInt32(value))
            {
                code.append(digit)
            } else if (0xFF01...0xFF5E).contains(scalar.value), let narrow = Unicode.Scalar(scalar.value - 0xFEE0) {
                code.append(narrow)
            } else {
                code.append(scalar)
            }
        }
        return String(code)
    }

    /// Dashes of all lengths, the minus sign, and what is only there to be invisible, such as a direction mark of the clipboard.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .dashPunctuation, .format: true
        default: scalar.value == 0x2212
        }
    }

    /// Whether the input can be a code at all. Input that cannot be one is not compared, and costs no try.
    /// - Parameters:
    ///   - typed: the input.
    ///   - digits: the number of digits; nil if unknown.
    ///   - shortest: the fewest digits, if their number is unknown.
    public static func isPossible(_ typed: String, digits: Int? = nil, shortest: Int = 1) -> Bool {
        let code = normalized(typed)
        guard code.utf8.allSatisfy(ASCII.isDigit) else { return false }
        return digits.map { $0 == code.utf8.count } ?? (code.utf8.count >= shortest)
    }
}
