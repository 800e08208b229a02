/// The supported signature algorithms (RFC 7518 §3.1, RFC 8037 §3.1). `none` and the HMACs are missing, so that no
/// header can ask for them.
public enum SigningAlgorithm: String, Hashable, Sendable, Codable, CaseIterable {
    /// ECDSA with P-256 and SHA-256; signatures are r ‖ s, 64 bytes.
    case es256 = "ES256"
    /// Ed25519; signatures are 64 bytes.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256. Only named here; the server signs and verifies, so that no app contains RSA.
    case rs256 = "RS256"

    /// Finds an algorithm by any of its ``names``.
    /// - Parameter name: the value of `alg`.
    public init?(named name: String) {
        self.init(rawValue: name == Self.ed25519 ? SigningAlgorithm.edDSA.rawValue : name)
    }

    /// The accepted names in metadata and headers. RFC 9864 renames `EdDSA` with Ed25519 to `Ed25519`. Both mean the
    /// one curve supported here, and clients know one or the other.
    public var names: [String] { self == .edDSA ? [rawValue, Self.ed25519] : [rawValue] }

    private static let ed25519 = "Ed25519"
}

/// The media type that a `typ` header names, without `application/` (RFC 8725 §3.11).
public struct JWSType: Hashable, Sendable {
    /// The type in lower case.
    public let rawValue: String

    /// Creates a type.
    /// - Parameter text: with or without `application/`, in any case (RFC 7515 §4.1.9).
    public init(_ text: String) {
        let lower = text.lowercased()
        rawValue =
            lower.hasPrefix("application/") && !lower.dropFirst(12).contains("/") ? String(lower.dropFirst(12)) : lower
    }

    /// The value for a header: `JWT` in upper case, because older implementations compare it that way (RFC 7519 §5.1).
    var headerValue: String { self == .jwt ? "JWT" : rawValue }

    /// An access token (RFC 9068).
    public static let accessToken = JWSType("at+jwt")
    /// A DPoP proof (RFC 9449).
    public static let dpop = JWSType("dpop+jwt")
    /// A JWT without a more specific type, such as an ID token.
    public static let jwt = JWSType("jwt")
    /// An introspection answer (RFC 9701).
    public static let tokenIntrospection = JWSType("token-introspection+jwt")
    /// The end of a session, for its client (OpenID Connect Back-Channel Logout 1.0).
    public static let logout = JWSType("logout+jwt")
    /// A client's assertion with its specific type (RFC 7523bis).
    public static let clientAuthentication = JWSType("client-authentication+jwt")
    /// An attester's word about the key of an app's instance (draft-ietf-oauth-attestation-based-client-auth-11 §4).
    public static let clientAttestation = JWSType("oauth-client-attestation+jwt")
    /// A request object (RFC 9101 §10.8).
    public static let requestObject = JWSType("oauth-authz-req+jwt")
    /// This project's assertions signed by a device's keys.
    public static let walletAuth = JWSType("wallet-auth+jws")
    /// The proof that an operation was authorized.
    public static let walletOperation = JWSType("wallet-operation+jwt")
}
