/// Names and addresses as people type and paste them.
public enum TypedText {
    /// A text without the white space around it: spaces, tabs, no-break spaces and line breaks that a keyboard's
    /// suggestion or the clipboard adds. White space inside stays, for the rule of the value to refuse.
    /// - Parameter typed: the text as typed.
    public static func trimmed(_ typed: String) -> String {
        // By scalar: a mark after a space would be one character with it, and must not disappear.
        let scalars = typed.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }
}
