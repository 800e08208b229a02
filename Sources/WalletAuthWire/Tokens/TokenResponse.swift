/// The way an access token is presented (RFC 6750, RFC 9449).
public enum TokenType: String, Hashable, Sendable, Codable {
    /// By itself: any holder can use it.
    case bearer = "Bearer"
    /// Only together with a proof of its key.
    case dpop = "DPoP"

    /// Creates a type, ignoring case (RFC 6749 §5.1).
    /// - Parameter text: the member's text.
    public init?(ignoringCase text: String) {
        guard let type = [TokenType.bearer, .dpop].first(where: { ASCII.equalIgnoringCase($0.rawValue, text) }) else {
            return nil
        }
        self = type
    }
}

/// A successful answer of the token endpoint (RFC 6749 §5.1).
public struct TokenResponse: Hashable, Sendable {
    /// The access token.
    public var accessToken: AccessToken
    /// The way it is presented.
    public var tokenType: TokenType
    /// Its validity in seconds; nil if the server does not say.
    public var expiresIn: Int64?
    /// The refresh token, if there is one.
    public var refreshToken: RefreshToken?
    /// The granted scopes; nil if they are the requested ones.
    public var scope: Scope?
    /// The ID token, if there is one.
    public var idToken: IDToken?
    /// The merchant to act for.
    public var merchantID: MerchantID?
    /// What the person granted besides scopes (RFC 9396 §7).
    public var authorizationDetails: AuthorizationDetails?
    /// The type of the access token, in answers to a token exchange only (RFC 8693 §2.2.1).
    public var issuedTokenType: String?

    /// The only ``issuedTokenType`` of this server.
    public static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"

    /// Creates an answer.
    /// - Parameters:
    ///   - accessToken: the access token.
    ///   - tokenType: the way it is presented.
    ///   - expiresIn: its validity in seconds.
    ///   - refreshToken: the refresh token.
    ///   - scope: the granted scopes.
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

    /// Reads an answer of any standard server. Harmless deviations are tolerated: a lifetime as text or with a
    /// fraction, a scope with two spaces or as an array, empty texts for missing members.
    /// - Parameters:
    ///   - object: the body.
    ///   - assumed: the type of a token without a type; nil refuses it.
    /// - Throws: ``MalformedValue`` if a member is missing or malformed, or the token's type is unknown: such a token
    ///   must not be used (RFC 6749 §7.1).
    public init(_ object: JSONObject, assuming assumed: TokenType? = nil) throws(MalformedValue) {
        accessToken = try object.required("access_token", object.secret("access_token"))
        tokenType = try Self.type(in: object, assumed)
        expiresIn = try Self.lifetime(in: object)
        refreshToken = try Self.refreshToken(in: object)
        scope = Self.scope(in: object)
        idToken = object.isBlank("id_token") ? nil : try object.secret("id_token")
        merchantID = object["merchant_id"]?.string.flatMap { try? MerchantID($0) }
        // Of another server, they may be of a type that is not known here.
        authorizationDetails = object[AuthorizationDetails.field].flatMap { try? AuthorizationDetails(recorded: $0) }
        issuedTokenType = object["issued_token_type"]?.string
    }

    /// The refresh token in an answer, whatever else it contains.
    /// - Parameter object: the body.
    /// - Returns: nil if there is none.
    /// - Throws: ``MalformedValue`` if it cannot be one.
    public static func refreshToken(in object: JSONObject) throws(MalformedValue) -> RefreshToken? {
        object.isBlank("refresh_token") ? nil : try object.secret("refresh_token")
    }

    private static func type(in object: JSONObject, _ assumed: TokenType?) throws(MalformedValue) -> TokenType {
        if let assumed, object.isBlank("token_type") { return assumed }
        let text = try object.required("token_type", object.string("token_type"))
        guard let type = TokenType(ignoringCase: text) else {
            throw MalformedValue(field: "token_type", reason: "is neither Bearer nor DPoP")
        }
        return type
    }

    /// Whole seconds; some servers write them as text, others with a fraction.
    private static func lifetime(in object: JSONObject) throws(MalformedValue) -> Int64? {
        let seconds: Int64?
        switch object["expires_in"] {
        case nil, .null?: return nil
        case .integer(let whole)?: seconds = whole
        case .number(let number)?: seconds = Int64(exactly: number.rounded(.down))
        case .string(let text)?:
            seconds = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) }
        default: seconds = nil
        }
        guard let seconds else { throw MalformedValue(field: "expires_in", reason: "is not a number of seconds") }
        guard seconds >= 0 else { throw MalformedValue(field: "expires_in", reason: "is negative") }
        return seconds
    }

    /// The tokens of a scope, however separated. Anything that cannot be a scope counts as none.
    private static func scope(in object: JSONObject) -> Scope? {
        let texts: [String]
        switch object["scope"] {
        case .string(let text)?: texts = [text]
        case let several?: texts = several.strings ?? []
        case nil: texts = []
        }
        let words = texts.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }
        return words.isEmpty ? nil : try? Scope(tokens: words.prefix(64))
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
        if let authorizationDetails {
            writer.name(AuthorizationDetails.field)
            writer.value(authorizationDetails.json)
        }
        writer.member("issued_token_type", issuedTokenType)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONObject {
    /// Whether a member is absent, `null` or an empty text.
    fileprivate func isBlank(_ name: String) -> Bool {
        switch self[name] {
        case nil, .null?: true
        case .string(let text)?: text.isEmpty
        default: false
        }
    }
}

extension TokenResponse: WireShaped {
    /// The members that this project's server sends.
    public static let shape = WireShape.answer(
        TokenResponse.self,
        [
            .required("access_token", .of(AccessToken.self)), .required("token_type", .choice(["Bearer", "DPoP"])),
            .optional("expires_in", .integer(0...Int64(Int32.max))), .optional("refresh_token", .of(RefreshToken.self)),
            .optional("scope", .of(Scope.self)), .optional("id_token", .of(IDToken.self)),
            .optional("merchant_id", .of(MerchantID.self)), .optional(AuthorizationDetails.field, .array(.anything)),
            .optional("issued_token_type", .choice([accessTokenType])),
        ])
}
