/// What text may hold by which a person decides: what it says must be what it looks like.
public enum ShownText {
    /// The most bytes of a masked address that a code goes to.
    static let longestDestination = 256

    /// Whether a character is there without being seen, breaks a line, or changes the direction of what stands beside it.
    /// Control characters are none of these, and no less to be kept from a screen.
    /// - Parameter scalar: the character.
    public static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // The joiners stay: words of several scripts, and emoji, are written with them.
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        case .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }

    /// Where a code goes, masked, as a person reads it beside what they agree to. One that could not be shown as it is, is left
    /// out: whoever sent it would have the screen say something else.
    /// - Parameter text: what was received.
    static func destination(_ text: String?) -> String? {
        text.flatMap { TextRule.shown($0, 1...longestDestination) == nil ? $0 : nil }
    }
}
