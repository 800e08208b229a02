extension TextRule {
    /// The maximum number of nonspacing marks on one base character: an accent and a second one, as in several
    /// languages.
    static let mostMarks = 2

    /// Text for display must be visible, on one line, and stay in its place. Another rule handles empty text.
    /// - Returns: the reason for a refusal, or nil.
    static func illegible(_ text: String) -> String? {
        // U+2028 and U+2029 are not control characters, but they break a line.
        guard !text.unicodeScalars.contains(where: { (0x2028...0x2029).contains($0.value) }) else {
            return "has a line break"
        }
        return blank(text) ?? overdrawing(text)
    }

    /// Marks are drawn over the character before them. Many of them reach into the lines above and below, an enclosing
    /// one crosses out its base, and one without a base attaches to the text before.
    private static func overdrawing(_ text: String) -> String? {
        var marks = MarkCount()
        for scalar in text.unicodeScalars {
            switch marks.count(scalar) {
            case nil: continue
            case .enclosing: return "has a mark that encloses the character before it"
            case .withoutBase: return "begins with a combining mark"
            case .excess:
                return "has more than \(mostMarks) combining marks on one character: remove them, or send composed "
                    + "characters (NFC)"
            }
        }
        return nil
    }
}

/// Scans a text for marks that draw over other text.
struct MarkCount {
    enum Fault { case enclosing, withoutBase, excess }

    /// The number of marks on the last base character; nil if there was none yet.
    private var marks: Int?

    /// The fault of the next character; nil if there is none.
    mutating func count(_ scalar: Unicode.Scalar) -> Fault? {
        // No mark has a lower code point than U+0300.
        guard scalar.value >= 0x300 else {
            if scalar.value != 0xAD { marks = 0 }
            return nil
        }
        switch scalar.properties.generalCategory {
        case .enclosingMark: return .enclosing
        case .nonspacingMark:
            guard let count = marks else { return .withoutBase }
            guard count < TextRule.mostMarks else { return .excess }
            marks = count + 1
            return nil
        // Neither a joiner nor a spacing mark begins another character: marks after them still pile up.
        case .format: return nil
        case .spacingMark: return marks == nil ? .withoutBase : nil
        default:
            marks = 0
            return nil
        }
    }
}
