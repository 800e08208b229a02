/// What text may hold by which a person decides: what it says must be what it looks like, in the place where it is.
public enum ShownText {
    /// Why new text cannot be shown to a person as it is; nil where it can. A name that somebody chooses goes by it, where it is
    /// chosen: what was named before stays readable.
    /// - Parameter text: what was typed or received, free of control characters.
    public static func fault(in text: String) -> String? { TextRule.illegible(text) }

    /// The most bytes of a masked address that a code goes to.
    static let longestDestination = 256

    /// Whether a character is none that such text may have: a control character, or one that is there without being seen, breaks
    /// a line, or changes the direction of what stands beside it.
    /// - Parameter scalar: the character.
    public static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        guard !(0x20..<0x7F).contains(scalar.value) else { return false }
        // Between two others, since the rules of a whole text are not asked for.
        let text = "a\(scalar)a"
        return (TextRule.shown(text, 1...8) ?? TextRule.illegible(text)) != nil
    }

    /// Puts something else in the place of each character that may not be shown where it stands: those of ``isDeceptive(_:)``, and
    /// marks beyond the two that a character may have, which would be drawn over the lines above and below.
    /// - Parameters:
    ///   - text: what was received.
    ///   - replacement: what stands in a character's place; nil leaves it.
    public static func replacingDeceptive(
        in text: some StringProtocol, by replacement: (Unicode.Scalar) -> String?
    ) -> String {
        var shown = String.UnicodeScalarView()
        var marks = MarkCount()
        for scalar in text.unicodeScalars {
            let isExcess = marks.count(scalar) != nil
            if isExcess || isDeceptive(scalar), let other = replacement(scalar) {
                shown.append(contentsOf: other.unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// Where a code goes, masked, as a person reads it beside what they agree to. One that could not be shown as it is, is left
    /// out: whoever sent it would have the screen say something else.
    /// - Parameter text: what was received.
    static func destination(_ text: String?) -> String? {
        text.flatMap { (TextRule.shown($0, 1...longestDestination) ?? TextRule.illegible($0)) == nil ? $0 : nil }
    }
}
