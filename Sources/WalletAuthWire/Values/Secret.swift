/// A text that must not leak: a token, a code, a password.
///
/// Printing, interpolating, dumping and mirroring it yield `<redacted>`, so that no log can leak it. Only ``reveal()``
/// returns the text, and a search for that word finds every use. Comparison of two secrets of equal length takes
/// constant time.
///
/// Encoding writes the text itself, because encoded secrets are meant for protected stores.
public struct Secret<Kind: SecretKind>: Hashable, Sendable, Codable {
    private let text: String

    /// Validates a secret's form. Only its issuer knows whether it is the right one.
    /// - Parameter text: the received text.
    /// - Throws: ``MalformedValue`` with the field and the rule, never the text.
    public init(_ text: String) throws(MalformedValue) {
        let text = Kind.normalized(text)
        if let reason = Kind.fault(in: text) { throw MalformedValue(field: Kind.field, reason: reason) }
        self.text = text
    }

    /// Returns the text itself. The caller is responsible for where it goes.
    public func reveal() -> String { text }

    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { ConstantTime.equal(left.text, right.text) }

    /// Feeds the text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Decodes a string and checks it.
    /// - Parameter decoder: the decoder to read one string from.
    /// - Throws: `DecodingError`, or ``MalformedValue`` for a value that breaks the type's rules.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text itself: for protected stores and the wire.
    /// - Parameter encoder: the encoder to write to.
    /// - Throws: the encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// Always `<redacted>`.
    public var debugDescription: String { "<redacted>" }

    /// An empty mirror: `dump` and reflection show nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A kind of secret: its name on the wire and its form.
public protocol SecretKind: Sendable {
    /// The parameter's name on the wire.
    static var field: String { get }

    /// The text to keep. For a code that people type, it is without spaces and dashes.
    /// - Parameter text: the received text.
    static func normalized(_ text: String) -> String

    /// The form of the normalized text.
    static var form: TextForm { get }

    /// The fault of a text, or nil if its form is right.
    /// - Parameter text: the normalized text.
    static func fault(in text: String) -> String?
}

extension SecretKind {
    /// The text itself.
    public static func normalized(_ text: String) -> String { text }

    /// Printable ASCII of at most 8 KiB, as in RFC 6749 appendix A for tokens and codes.
    public static var form: TextForm { .visible(1...8192) }

    /// What the form finds.
    public static func fault(in text: String) -> String? { form.fault(in: text) }
}
