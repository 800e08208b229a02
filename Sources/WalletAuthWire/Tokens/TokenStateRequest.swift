/// A client's hint about the kind of a token (RFC 7009 §2.1).
public enum TokenTypeHint: String, Hashable, Sendable {
    /// An access token.
    case accessToken = "access_token"
    /// A refresh token.
    case refreshToken = "refresh_token"
}

/// A request to revoke a token (RFC 7009), or for its state (RFC 7662).
public struct TokenStateRequest: Hashable, Sendable {
    /// The client.
    public var client: ClientAuthentication
    /// The token.
    public var token: PresentedToken
    /// The client's hint; unknown hints are ignored.
    public var hint: TokenTypeHint?

    /// Creates a request.
    /// - Parameters:
    ///   - client: the client.
    ///   - token: the token.
    ///   - hint: the client's hint.
    public init(client: ClientAuthentication, token: PresentedToken, hint: TokenTypeHint? = nil) {
        self.client = client
        self.token = token
        self.hint = hint
    }

    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    /// - Throws: ``OAuthError`` to answer with.
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

/// A token's state (RFC 7662 §2.2).
public enum IntrospectionResponse: Hashable, Sendable {
    /// Unknown, expired, revoked, or not meant for the client: nothing more is said.
    case inactive
    /// Active, with its claims, the way it is presented, and the person's user name if the caller may see it.
    case active(AccessTokenClaims, tokenType: TokenType, username: String? = nil)

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        switch self {
        case .inactive: object["active"] = false
        case .active(let claims, let type, let username):
            object["active"] = true
            object.set("token_type", type.rawValue)
            object.set("username", username)
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
        self = .active(try AccessTokenClaims(object), tokenType: type, username: try object.string("username"))
    }
}

extension IntrospectionResponse: WireShaped {
    /// Its members; those of the token if it is active.
    public static let shape = WireShape.answer(
        IntrospectionResponse.self,
        [.required("active", .truth), .optional("token_type", .text(nil)), .optional("username", .text(nil))])
}

extension TokenStateRequest: WireShaped {
    /// The parameters.
    public static let shape = WireShape.answer(
        TokenStateRequest.self,
        [.required("token", .of(PresentedToken.self)), .optional("token_type_hint", .text(nil))]
            + ClientAuthentication.members)
}
