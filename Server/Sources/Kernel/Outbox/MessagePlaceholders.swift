/// The values of placeholders.
package enum MessagePlaceholders {
    /// External text for use within a sentence: runs of spaces are collapsed, and right-to-left text is isolated (UAX #9), because it
    /// would otherwise reorder the text around it.
    package static func isolated(_ text: String) -> String {
        let words = text.unicodeScalars.split { $0.properties.generalCategory == .spaceSeparator }
        let line = words.map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
        return line.unicodeScalars.contains(where: isRightToLeft) ? "\u{2068}\(line)\u{2069}" : line
    }

    /// The Unicode blocks of right-to-left scripts.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
