/// What text may hold by which a person decides: what it says must be what it looks like.
public enum ShownText {
    /// The most bytes of a masked address that a code goes to.
    static let longestDestination = 256

    /// Whether a character is none that such text may have: a control character, or one that is there without being seen, breaks
    /// a line, or changes the direction of what stands beside it.
    /// - Parameter scalar: the character.
    public static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        // Between two others, since the rules of a whole text are not asked for.
        let text = "a\(scalar)a"
        return (TextRule.shown(text, 1...8) ?? TextRule.blank(text)) != nil
    }

    /// Where a code goes, masked, as a person reads it beside what they agree to. One that could not be shown as it is, is left
    /// out: whoever sent it would have the screen say something else.
    /// - Parameter text: what was received.
    static func destination(_ text: String?) -> String? {
        text.flatMap { (TextRule.shown($0, 1...longestDestination) ?? TextRule.blank($0)) == nil ? $0 : nil }
    }
}
