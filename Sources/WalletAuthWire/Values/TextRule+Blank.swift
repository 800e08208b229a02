extension TextRule {
    /// Text by which a person decides has something that they see, and nothing that passes for a gap. Empty text is another
    /// rule's matter.
    static func blank(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        guard !scalars.contains(where: isShapeless) else { return "has a character that is drawn as nothing" }
        guard scalars.isEmpty || !scalars.allSatisfy(isGap) else { return "has nothing that can be seen" }
        return nil
    }

    /// A text as a person sees it: without what is drawn as nothing, each gap one space. Swift compares the rest by what Unicode
    /// treats as equivalent.
    static func appearance(of text: String) -> String {
        drawn(text).split { $0.properties.generalCategory == .spaceSeparator }
            .map { String(String.UnicodeScalarView($0)) }.joined(separator: " ")
    }

    /// Text in front of what a person decides by, or behind it, keeps to its place: gaps at an end, or several in a row, would push
    /// what comes after it out of sight, or pass for the end.
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

    /// The scalars that are drawn: joiners and variation selectors between two gaps are not seen.
    private static func drawn(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter {
            $0.properties.generalCategory != .format && !$0.properties.isVariationSelector
        }
    }

    /// Signs by their category, and drawn as nothing: the empty pattern of Braille, and the musical null notehead.
    private static func isShapeless(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2800 || scalar.value == 0x1D159
    }

    /// Whether nothing of it is seen where it stands alone.
    private static func isGap(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator || scalar.properties.generalCategory == .format
            || scalar.properties.isVariationSelector
    }
}
