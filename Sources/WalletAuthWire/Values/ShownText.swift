/// Rules for text that a person bases a decision on: it must say what it appears to say, where it appears.
public enum ShownText {
    /// The reason new text cannot be displayed faithfully; nil if it can. Apply it when a person chooses a name;
    /// existing names stay readable.
    /// - Parameter text: the typed or received text, without control characters.
    public static func fault(in text: String) -> String? { TextRule.illegible(text) }

    /// The maximum length of a code's masked destination, in bytes.
    static let longestDestination = 256

    /// Whether such text must not contain a character: a control character, or one that is invisible, breaks a line, or
    /// changes the direction of its neighbors.
    /// - Parameter scalar: the character.
    public static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        guard !(0x20..<0x7F).contains(scalar.value) else { return false }
        // Between two others, to skip the rules for a whole text.
        let text = "a\(scalar)a"
        return (TextRule.shown(text, 1...8) ?? TextRule.illegible(text)) != nil
    }

    /// Replaces each character unfit for display: those of ``isDeceptive(_:)``, and more than two marks on a character,
    /// which would draw over the lines above and below.
    /// - Parameters:
    ///   - text: the received text.
    ///   - replacement: the replacement of a character; nil keeps it.
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

    /// The masked destination of a code, as shown together with the operation. One unfit for display is omitted, so
    /// that its sender cannot change what the screen says.
    /// - Parameter text: the received text.
    static func destination(_ text: String?) -> String? {
        text.flatMap { (TextRule.shown($0, 1...longestDestination) ?? TextRule.illegible($0)) == nil ? $0 : nil }
    }
}
