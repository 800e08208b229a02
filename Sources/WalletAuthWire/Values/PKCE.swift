import Crypto

/// A PKCE code verifier (RFC 7636 §4.1): 43 to 128 unreserved characters. It is a secret until it is redeemed.
public struct CodeVerifier: Hashable, Sendable, Codable, CustomStringConvertible, CustomReflectable {
    private let text: String

    /// Validates a verifier.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        guard (43...128).contains(text.utf8.count) else {
            throw MalformedValue(field: "code_verifier", reason: "is not 43 to 128 characters long")
        }
        guard text.utf8.allSatisfy(ASCII.isUnreserved) else {
            throw MalformedValue(field: "code_verifier", reason: "has a character that is not unreserved")
        }
        self.text = text
    }

    /// Creates a verifier from random bytes, as RFC 7636 §4.1 recommends.
    /// - Parameter random: 32 to 96 random bytes.
    public init(random: [UInt8]) throws(MalformedValue) {
        try self.init(Base64URL.encode(random))
    }

    /// Returns the text itself, for the token request, or for a backend that redeems the code.
    public func reveal() -> String { text }

    /// Compares in constant time.
    public static func == (left: Self, right: Self) -> Bool { ConstantTime.equal(left.text, right.text) }

    /// Feeds the text to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// Decodes a string and checks it.
    /// - Parameter decoder: the decoder to read one string from.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text itself, for protected stores.
    /// - Parameter encoder: the encoder to write to.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// Always `<redacted>`.
    public var description: String { "<redacted>" }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A PKCE code challenge with S256 (RFC 7636 §4.2). `plain` is not supported: it protects nothing.
public struct CodeChallenge: WireValue {
    /// The only supported transformation.
    public static let method = "S256"

    /// Base64url of the verifier's SHA-256: 43 characters.
    public let rawValue: String

    /// Validates a challenge.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) {
        guard Base64URL.decode(text)?.count == 32 else {
            throw MalformedValue(field: "code_challenge", reason: "is not base64url of a SHA-256 hash")
        }
        rawValue = text
    }

    /// Computes the challenge of a verifier.
    /// - Parameter verifier: the secret.
    public init(verifier: CodeVerifier) {
        rawValue = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.reveal().utf8))))
    }

    /// Whether this is the challenge of a verifier.
    /// - Parameter verifier: from the token request.
    public func verify(_ verifier: CodeVerifier) -> Bool {
        ConstantTime.equal(rawValue, CodeChallenge(verifier: verifier).rawValue)
    }
}
