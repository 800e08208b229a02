/// The reference to an authorization request that a client pushed (RFC 9126 §2.2).
public struct PushedRequestURI: WireValue {
    /// The form of its text.
    public static var form: TextForm {
        .own((prefix.utf8.count + 1)...512, format: "uri", example: prefix + "6esc_11ACC5bwc014ltc14eY22c")
    }

    /// The beginning of every such reference.
    public static let prefix = "urn:ietf:params:oauth:request_uri:"

    /// The URI.
    public let rawValue: String

    /// Validates a reference.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        guard text.hasPrefix(Self.prefix), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw MalformedValue(field: "request_uri", reason: "is not the reference to a pushed request")
        }
        rawValue = try Self.checked(text, "request_uri")
    }
}

/// An authorization request as a JWT that the client signed (RFC 9101), of which nothing is checked yet.
public struct RequestObject: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...8_192) }

    /// The compact JWS.
    public let rawValue: String

    /// Validates the characters.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) { rawValue = try Self.checked(text, "request") }
}

/// The answer to a pushed authorization request (RFC 9126 §2.2).
public struct PushedAuthorizationResponse: Hashable, Sendable {
    /// The reference, for one authorization.
    public let requestURI: PushedRequestURI
    /// In how many seconds the browser has to open it.
    public let expiresIn: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - requestURI: the reference.
    ///   - expiresIn: seconds.
    public init(requestURI: PushedRequestURI, expiresIn: Int64) {
        self.requestURI = requestURI
        self.expiresIn = expiresIn
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("request_uri", requestURI)
        object.set("expires_in", expiresIn)
        return object
    }
}

extension PushedAuthorizationResponse: WireShaped {
    /// Its members.
    public static let shape = WireShape.answer(
        PushedAuthorizationResponse.self,
        [.required("request_uri", .of(PushedRequestURI.self)), .required("expires_in", .integer(1...599))])
}

extension AuthorizationRequest: WireShaped {
    /// The parameters, with those by which the client authenticates itself where it pushes them. In a request object the required
    /// ones are its claims.
    public static let shape = WireShape.answer(AuthorizationRequest.self, members + ClientAuthentication.members)

    private static let members: [WireObject.Member] = [
        .optional("response_type", .choice(["code"])), .optional("redirect_uri", .of(RedirectURI.self)),
        .optional("code_challenge", .of(CodeChallenge.self)),
        .optional("code_challenge_method", .choice([CodeChallenge.method])),
        .optional("scope", .of(Scope.self)), .optional("state", .of(OAuthState.self)),
        .optional("nonce", .of(Nonce.self)), .optional("response_mode", .of(ResponseMode.self)),
        .optional("prompt", .text(nil)),
        .optional("display", .text(nil)), .optional(ClaimsRequest.field, .of(ClaimsRequest.self)),
        .optional("max_age", .text(nil)), .optional("acr_values", .text(nil)),
        .optional("login_hint", .text(nil)), .optional("ui_locales", .text(nil)),
        .optional("id_token_hint", .of(IDToken.self)), .optional("dpop_jkt", .of(JWKThumbprint.self)),
        .optional("resource", .array(.text(nil))),
        .optional(AuthorizationDetails.field, .of(AuthorizationDetails.self)),
        .optional("merchant_id", .of(MerchantID.self)),
        .optional("brand", .of(BrandID.self)), .optional("login_strategy", .of(LoginStrategy.self)),
        .optional("reset_credentials_url", .of(WebURL.self)), .optional("request", .of(RequestObject.self)),
    ]
}
