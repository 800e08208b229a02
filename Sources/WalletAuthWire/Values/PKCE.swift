import Crypto

/// A PKCE code verifier (RFC 7636 §4.1): 43 to 128 unreserved characters. It is a secret until it is redeemed.
public typealias CodeVerifier = Secret<SecretKinds.CodeVerifier>

extension SecretKinds {
    /// ``WalletAuthWire/CodeVerifier``.
    public enum CodeVerifier: SecretKind {
        /// `code_verifier`.
        public static let field = "code_verifier"
        /// 43 to 128 unreserved characters (RFC 7636 §4.1).
        public static func fault(in text: String) -> String? {
            guard (43...128).contains(text.utf8.count) else { return "is not 43 to 128 characters long" }
            return text.utf8.allSatisfy(ASCII.isUnreserved) ? nil : "has a character that is not unreserved"
        }
        /// The form of its text.
        public static var form: TextForm {
            .own(43...128, pattern: "^[A-Za-z0-9._~-]*$", example: String(repeating: "v", count: 43))
        }
    }
}

extension Secret where Kind == SecretKinds.CodeVerifier {
    /// Creates a verifier from random bytes, as RFC 7636 §4.1 recommends.
    /// - Parameter random: 32 to 96 random bytes.
    /// - Throws: ``MalformedValue`` for fewer or more.
    public init(random: [UInt8]) throws(MalformedValue) {
        try self.init(Base64URL.encode(random))
    }
}

/// A PKCE code challenge with S256 (RFC 7636 §4.2). `plain` is not supported: it protects nothing.
public struct CodeChallenge: WireValue {
    /// The form of its text.
    public static var form: TextForm { .sha256 }

    /// The only supported transformation.
    public static let method = "S256"

    /// Base64url of the verifier's SHA-256: 43 characters.
    public let rawValue: String

    /// Validates a challenge.
    /// - Parameter text: canonical base64url of 32 bytes.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "code_challenge") }

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
