extension TextRule {
    /// The most nonspacing marks of one base character: an accent and a second one, as several languages write them.
    static let mostMarks = 2

    /// New text that a person is to see has something to see, and stays in its place. Empty text is another rule's matter.
    /// - Returns: the reason of a refusal, or nil.
    static func illegible(_ text: String) -> String? { blank(text) ?? overdrawing(text) }

    /// Marks are drawn over the character before them. Enough of them reach into the lines above and below, an enclosing one
    /// crosses out what it is put on, and one without a base is put on whatever stands before the text.
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

/// Follows a text and tells the marks that are drawn over other text.
struct MarkCount {
    enum Fault { case enclosing, withoutBase, excess }

    /// The marks of the last base character; nil where there was none yet.
    private var marks: Int?

    /// What is wrong with the next character; nil where nothing is.
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
        // Neither a joiner nor a mark that takes room of its own begins another character: marks behind them pile up all the same.
        case .format: return nil
        case .spacingMark: return marks == nil ? .withoutBase : nil
        default:
            marks = 0
            return nil
        }
    }
}
