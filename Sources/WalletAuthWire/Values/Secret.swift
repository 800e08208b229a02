/// A text that must not be seen: tokens, codes, passwords.
///
/// Printing, interpolating, dumping and mirroring it yield `<redacted>`, so that no log can leak it; only ``reveal()``
/// hands it out, and a search for that word finds every place that does. Comparing takes the same time wherever two
/// secrets of one length differ.
///
/// Encoding writes the text itself, since an encoded secret is meant for a store that protects it.
public struct Secret<Kind: SecretKind>: Hashable, Sendable, Codable {
    private let text: String

    /// Checks a secret's form. Whether it is the right one is for whoever issued it.
    /// - Parameter text: what was received.
    /// - Throws: ``MalformedValue`` that names the field and the rule, never the text.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = Kind.fault(in: text) { throw MalformedValue(field: Kind.field, reason: reason) }
        self.text = text
    }

    /// The text itself. Whoever calls this answers for where it goes.
    public func reveal() -> String { text }

    /// Compares without telling by time where the texts differ.
    public static func == (left: Self, right: Self) -> Bool { ConstantTime.equal(left.text, right.text) }

    /// Feeds the text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Decodes a string and checks it.
    /// - Parameter decoder: the decoder to read one string from.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text itself: for protected stores and the wire.
    /// - Parameter encoder: the encoder to write to.
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

    /// A mirror without children: `dump` and reflection show nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What makes one kind of secret different from another: its name on the wire and its form.
public protocol SecretKind: Sendable {
    /// The parameter's name on the wire.
    static var field: String { get }

    /// What is wrong with a text, or nil where its form is right.
    /// - Parameter text: what was received.
    static func fault(in text: String) -> String?
}

extension SecretKind {
    /// Printable ASCII of at most 8 KiB, as RFC 6749 appendix A says for tokens and codes.
    public static func fault(in text: String) -> String? { TextRule.visible(text, 1...8192) }
}
