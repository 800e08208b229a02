/// The form that a type requires of its text: the check of simple types, and what a description of the API says of all.
public enum TextForm: Hashable, Sendable {
    /// So many visible ASCII characters, with or without the space (RFC 6749 appendix A).
    case visible(ClosedRange<Int>, spaces: Bool = false)
    /// So many letters, digits, `-`, `.`, `_`, `~`, but neither `.` nor `..`.
    case identifier(ClosedRange<Int>)
    /// So many bytes of text without control characters.
    case printable(ClosedRange<Int>)
    /// A UUID in lower case (RFC 9562 §4).
    case uuid
    /// SHA-256 as base64url without padding.
    case sha256
    /// Rules that the type checks itself: the number of bytes, the name of a format or a regular expression of JSON Schema, and an
    /// example.
    case own(ClosedRange<Int>, format: String? = nil, pattern: String? = nil, example: String)

    /// The fault of a text, or nil if it has the form. Of a form with rules of its own, only the length is checked.
    /// - Parameter text: the text.
    public func fault(in text: String) -> String? {
        switch self {
        case .visible(let length, let spaces): TextRule.visible(text, length, from: spaces ? 0x20 : 0x21)
        case .identifier(let length): TextRule.identifier(text, length)
        case .printable(let length): TextRule.printable(text, length)
        case .uuid: UUIDText.bytes(of: text) == nil ? "is not a UUID in lower case" : nil
        case .sha256: Base64URL.decode(text)?.count == 32 ? nil : "is not base64url of a SHA-256 hash"
        case .own(let length, _, _, _):
            length.contains(text.utf8.count) ? nil : "is not \(length.lowerBound) to \(length.upperBound) bytes long"
        }
    }

    /// The least and the greatest number of bytes.
    public var length: ClosedRange<Int> {
        switch self {
        case .visible(let length, _), .identifier(let length), .printable(let length), .own(let length, _, _, _): length
        case .uuid: 36...36
        case .sha256: 43...43
        }
    }

    /// What the characters are, as a regular expression of JSON Schema (ECMA-262); nil if it would say nothing.
    public var pattern: String? {
        switch self {
        case .visible(_, let spaces): spaces ? "^[ -~]*$" : "^[!-~]*$"
        // Without a look-ahead, which the regular expressions of Go and Rust do not have.
        case .identifier: #"^(\.{0,2}[A-Za-z0-9_~-]|\.{3})[A-Za-z0-9._~-]*$"#
        case .printable: nil
        case .uuid: "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
        case .sha256: "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$"
        case .own(_, _, let pattern, _): pattern
        }
    }

    /// A text of this form.
    public var example: String {
        switch self {
        case .visible(let length, _), .identifier(let length), .printable(let length):
            String(repeating: "a", count: min(max(length.lowerBound, 8), length.upperBound))
        case .uuid: "0190c5b0-6f3a-7c1e-9d52-3f8a4b6c7d8e"
        case .sha256: String(repeating: "A", count: 43)
        case .own(_, _, _, let example): example
        }
    }
}

extension WireValue {
    /// A text of the type's form; otherwise the fault of its field.
    static func checked(_ text: String, _ field: String) throws(MalformedValue) -> String {
        if let reason = form.fault(in: text) { throw MalformedValue(field: field, reason: reason) }
        return text
    }
}
