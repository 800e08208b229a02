/// What a client says about the kind of a token it shows (RFC 7009 section 2.1). Only a hint.
public enum TokenTypeHint: String, Hashable, Sendable {
    /// An access token.
    case accessToken = "access_token"
    /// A refresh token.
    case refreshToken = "refresh_token"
}

/// A request to end a token (RFC 7009).
public struct RevocationRequest: Hashable, Sendable {
    /// Who asks.
    public var client: ClientAuthentication
    /// The token.
    public var token: PresentedToken
    /// What the client takes it for; hints that are not known are ignored.
    public var hint: TokenTypeHint?

    /// Makes a request.
    /// - Parameters:
    ///   - client: who asks.
    ///   - token: the token.
    ///   - hint: what the client takes it for.
    public init(client: ClientAuthentication, token: PresentedToken, hint: TokenTypeHint? = nil) {
        self.client = client
        self.token = token
        self.hint = hint
    }

    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    public init(form: FormParameters, authorization: String?) throws(OAuthError) {
        client = try ClientAuthentication(form: form, authorization: authorization)
        token = try form.requiredSecret()
        hint = form["token_type_hint"].flatMap(TokenTypeHint.init(rawValue:))
    }

    /// The body's parameters.
    public var form: FormParameters {
        var form = FormParameters()
        form.append(secret: token)
        form.append("token_type_hint", hint?.rawValue)
        client.add(to: &form)
        return form
    }
}

/// A request to learn a token's state (RFC 7662).
public struct IntrospectionRequest: Hashable, Sendable {
    /// Who asks.
    public var client: ClientAuthentication
    /// The token.
    public var token: PresentedToken
    /// What the client takes it for; hints that are not known are ignored.
    public var hint: TokenTypeHint?

    /// Makes a request.
    /// - Parameters:
    ///   - client: who asks.
    ///   - token: the token.
    ///   - hint: what the client takes it for.
    public init(client: ClientAuthentication, token: PresentedToken, hint: TokenTypeHint? = nil) {
        self.client = client
        self.token = token
        self.hint = hint
    }

    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    public init(form: FormParameters, authorization: String?) throws(OAuthError) {
        client = try ClientAuthentication(form: form, authorization: authorization)
        token = try form.requiredSecret()
        hint = form["token_type_hint"].flatMap(TokenTypeHint.init(rawValue:))
    }

    /// The body's parameters.
    public var form: FormParameters {
        var form = FormParameters()
        form.append(secret: token)
        form.append("token_type_hint", hint?.rawValue)
        client.add(to: &form)
        return form
    }
}

/// The answer about a token's state (RFC 7662 section 2.2).
public enum IntrospectionResponse: Hashable, Sendable {
    /// Unknown, over, revoked, or none of the asker's business: nothing more is said.
    case inactive
    /// Alive, with its claims and how it is shown.
    case active(AccessTokenClaims, tokenType: TokenType)

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .inactive: object["active"] = false
        case .active(let claims, let type):
            object["active"] = true
            object.set("token_type", type.rawValue)
            for member in claims.json.members { object[member.name] = member.value }
        }
        return object
    }

    /// Reads an answer.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard try object.required("active", object.bool("active")) else {
            self = .inactive
            return
        }
        let type = try object.string("token_type").flatMap(TokenType.init(ignoringCase:)) ?? .bearer
        self = .active(try AccessTokenClaims(object), tokenType: type)
    }
}
