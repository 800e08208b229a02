extension TextRule {
    /// Text for a decision has something visible, and nothing that looks like a gap. Another rule handles empty text.
    static func blank(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard !scalars.contains(where: isShapeless) else { return "has a character with no visible shape" }
        guard scalars.isEmpty || !scalars.allSatisfy(isGap) else { return "has no visible character" }
        return nil
    }

    /// A text as a person sees it: without invisible characters, and with each gap as one space. Swift compares the
    /// rest by Unicode equivalence.
    static func appearance(of text: String) -> String {
        drawn(text).split { $0.properties.generalCategory == .spaceSeparator }
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }

    /// Text next to the basis of a decision must stay in its place: gaps at either end, or several in a row, could push
    /// what follows out of sight, or look like the end.
    static func gapped(_ text: String) -> String? {
        let drawn = drawn(text)
        var isBehindGap = true
        for scalar in drawn {
            let isSpace = scalar.properties.generalCategory == .spaceSeparator
            guard !isSpace || !isBehindGap else { return "begins with a space, or has two in a row" }
            isBehindGap = isSpace
        }
        return isBehindGap && !drawn.isEmpty ? "ends with a space" : nil
    }

    /// The visible scalars: joiners and variation selectors between two gaps are invisible.
    private static func drawn(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter {
            $0.properties.generalCategory != .format && !$0.properties.isVariationSelector
        }
    }

    /// Symbols by category that are drawn as nothing: the empty Braille pattern, and the musical null notehead.
    private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2800 || scalar.value == 0x1D159
    }

    /// Whether a scalar is invisible by itself.
    private static func isGap(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator || scalar.properties.generalCategory == .format
            || scalar.properties.isVariationSelector
    }
}
