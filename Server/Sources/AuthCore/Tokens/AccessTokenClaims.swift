internal import WalletAuthWire

/// The claims of an access token (RFC 9068 §2.2), and of a bearer or key-bound token alike (RFC 9449 §6).
public struct AccessTokenClaims: Sendable, Hashable {
    /// Who issued it.
    public var issuer: String
    /// The account's id; the client's for a client that acts for itself.
    public var subject: String
    /// Whom it is for (RFC 8707), at least one.
    public var audience: [String]
    /// The client it was issued to.
    public var client: String
    /// When it was issued.
    public var issuedAt: Timestamp
    /// Its end.
    public var expiresAt: Timestamp
    /// Its own id.
    public var tokenID: String
    /// What it allows.
    public var scope: String
    /// The session; `nil` for a client that acts for itself.
    public var session: String?
    /// When the person authenticated.
    public var authTime: Timestamp?
    /// How strongly.
    public var acr: String?
    /// By which methods (RFC 8176).
    public var amr: [String]
    /// The merchant that the person acts for.
    public var merchant: String?
    /// The thumbprint of the key that it is bound to (RFC 9449 §6.1), base64url; `nil` for a bearer token.
    public var keyThumbprint: String?

    /// Each parameter is the property of its name.
    public init(
        issuer: String, subject: String, audience: [String], client: String, issuedAt: Timestamp, expiresAt: Timestamp,
        tokenID: String, scope: String, session: String? = nil, authTime: Timestamp? = nil, acr: String? = nil,
        amr: [String] = [], merchant: String? = nil, keyThumbprint: String? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.client = client
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
        self.scope = scope
        self.session = session
        self.authTime = authTime
        self.acr = acr
        self.amr = amr
        self.merchant = merchant
        self.keyThumbprint = keyThumbprint
    }

    /// The claims as one JSON object in UTF-8, written straight into one buffer.
    public var bytes: [UInt8] {
        var json = JSONWriter(reserving: 640)
        json.beginObject()
        json.member("iss", issuer)
        json.member("sub", subject)
        json.audience(audience)
        json.member("client_id", client)
        json.member("iat", issuedAt.seconds)
        json.member("exp", expiresAt.seconds)
        json.member("jti", tokenID)
        json.member("scope", scope.isEmpty ? nil : scope)
        json.member("sid", session)
        json.member("auth_time", authTime?.seconds)
        json.member("acr", acr)
        json.strings("amr", amr)
        json.member("merchant_id", merchant)
        if let keyThumbprint {
            json.name("cnf")
            json.beginObject()
            json.member("jkt", keyThumbprint)
            json.endObject()
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    /// `aud`: one string, or an array where there are several (RFC 7519 §4.1.3).
    mutating func audience(_ audience: [String]) {
        guard audience.count != 1 else { return member("aud", audience[0]) }
        strings("aud", audience)
    }

    /// An array of strings; nothing where there are none.
    mutating func strings(_ name: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
