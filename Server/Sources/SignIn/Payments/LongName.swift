/// The type size of a line that contains a name. A long name is shown in full, so its type is smaller instead: the button stays on the
/// first screen of a phone, and a line breaks between words. A word that is longer than a line of the smallest type breaks within.
package enum LongName {
    /// - Returns: the class of the stylesheet; `nil` for a line that fits in the usual size.
    package static func size(of line: String) -> String? {
        let words = line.split { $0.isWhitespace || $0 == "-" }
        switch (width(of: line), words.map(width).max() ?? 0) {
        case (...36, ...14): return nil
        case (...54, ...18): return "long"
        case (...100, ...24): return "longer"
        default: return "longest"
        }
    }

    /// In letters of common width.
    private static func width(of text: some StringProtocol) -> Double {
        text.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of character: Character) -> Double {
        // From Hangul on, scripts are twice as wide; punctuation is not.
        let scalar = character.unicodeScalars.first?.value ?? 0
        if scalar >= 0x1100, !(0x2000..<0x2100).contains(scalar) { return 2 }
        return character.isUppercase ? 1.25 : 1
    }
}
