/// How an access token is shown (RFC 6750, RFC 9449).
public enum TokenType: String, Hashable, Sendable, Codable {
    /// Whoever has it may use it.
    case bearer = "Bearer"
    /// Only together with a proof of its key.
    case dpop = "DPoP"

    /// Reads a type; case does not count (RFC 6749 section 5.1).
    /// - Parameter text: the member's text.
    public init?(ignoringCase text: String) {
        guard let type = [TokenType.bearer, .dpop].first(where: { ASCII.equalIgnoringCase($0.rawValue, text) }) else {
            return nil
        }
        self = type
    }
}

/// A successful answer of the token endpoint (RFC 6749 section 5.1).
public struct TokenResponse: Hashable, Sendable {
    /// The access token.
    public var accessToken: AccessToken
    /// How it is shown.
    public var tokenType: TokenType
    /// For how many seconds it lives; nil where a server does not say.
    public var expiresIn: Int64?
    /// The refresh token, where there is one.
    public var refreshToken: RefreshToken?
    /// What was granted; nil where it is what was asked for.
    public var scope: Scope?
    /// The ID token, where there is one.
    public var idToken: IDToken?
    /// The merchant for whom the person signed in.
    public var merchantID: MerchantID?

    /// Makes an answer.
    /// - Parameters:
    ///   - accessToken: the access token.
    ///   - tokenType: how it is shown.
    ///   - expiresIn: for how many seconds it lives.
    ///   - refreshToken: the refresh token.
    ///   - scope: what was granted.
    ///   - idToken: the ID token.
    ///   - merchantID: the merchant.
    public init(
        accessToken: AccessToken, tokenType: TokenType, expiresIn: Int64?, refreshToken: RefreshToken? = nil,
        scope: Scope? = nil, idToken: IDToken? = nil, merchantID: MerchantID? = nil
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.scope = scope
        self.idToken = idToken
        self.merchantID = merchantID
    }

    /// Reads an answer, of any standard server.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` where a member is missing, malformed, or the token's type is not known: such a token
    ///   must not be used (RFC 6749 section 7.1).
    public init(_ object: JSONObject) throws(MalformedValue) {
        accessToken = try object.required("access_token", object.secret("access_token"))
        guard let type = TokenType(ignoringCase: try object.required("token_type", object.string("token_type"))) else {
            throw MalformedValue(field: "token_type", reason: "is neither Bearer nor DPoP")
        }
        tokenType = type
        expiresIn = try object.integer("expires_in")
        if let expiresIn, expiresIn < 0 { throw MalformedValue(field: "expires_in", reason: "is negative") }
        refreshToken = try object.secret("refresh_token")
        scope = try object.value("scope")
        idToken = try object.secret("id_token")
        merchantID = try object.value("merchant_id")
    }

    /// The body in UTF-8, written straight into one buffer.
    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.member("access_token", accessToken.reveal())
        writer.member("token_type", tokenType.rawValue)
        writer.member("expires_in", expiresIn)
        writer.member("refresh_token", refreshToken?.reveal())
        writer.member("scope", scope?.rawValue)
        writer.member("id_token", idToken?.reveal())
        writer.member("merchant_id", merchantID?.rawValue)
        writer.endObject()
        return writer.bytes
    }
}
