internal import Crypto
public import WalletAuthWire

/// The claims of an ID token (OpenID Connect Core §2). It says who signed in and how, and no more: profile claims are
/// userinfo's.
public struct IDTokenClaims: Sendable, Hashable {
    /// Who issued it.
    public var issuer: String
    /// The account's id.
    public var subject: String
    /// The client.
    public var audience: String
    /// When it was issued.
    public var issuedAt: Timestamp
    /// Its end.
    public var expiresAt: Timestamp
    /// When the person authenticated.
    public var authTime: Timestamp
    /// How strongly.
    public var acr: String?
    /// By which methods.
    public var amr: [String]
    /// The authorization request's `nonce`.
    public var nonce: String?
    /// The session.
    public var session: String
    /// The access token issued beside it, for `at_hash` (OpenID Connect Core §3.1.3.6).
    public var accessToken: String

    /// Each parameter is the property of its name.
    public init(
        issuer: String, subject: String, audience: String, issuedAt: Timestamp, expiresAt: Timestamp,
        authTime: Timestamp, acr: String?, amr: [String], nonce: String?, session: String, accessToken: String
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
        self.nonce = nonce
        self.session = session
        self.accessToken = accessToken
    }

    /// The claims as one JSON object in UTF-8.
    /// - Parameter algorithm: what the token will be signed with: it names the hash of `at_hash`, SHA-512 for EdDSA
    ///   over Ed25519.
    public func bytes(for algorithm: SigningAlgorithm) -> [UInt8] {
        let token = Array(accessToken.utf8)
        let hash: [UInt8] =
            algorithm == .edDSA ? Array(SHA512.hash(data: token)) : Array(SHA256.hash(data: token))
        var json = JSONWriter(reserving: 512)
        json.beginObject()
        json.member("iss", issuer)
        json.member("sub", subject)
        json.member("aud", audience)
        json.member("iat", issuedAt.seconds)
        json.member("exp", expiresAt.seconds)
        json.member("auth_time", authTime.seconds)
        json.member("nonce", nonce)
        json.member("acr", acr)
        json.strings("amr", amr)
        json.member("sid", session)
        json.member("at_hash", Base64URL.encode(hash.prefix(hash.count / 2)))
        json.endObject()
        return json.bytes
    }
}
