/// A request for a guest's tokens (`POST /oauth/requestGuestToken.json`): by an integrator's backend, for a guest of
/// its merchant.
public struct GuestTokenRequest: Hashable, Sendable {
    /// The credential for the tokens.
    public enum Grant: Hashable, Sendable {
        /// An account at an identity provider: "grant by user fields".
        case fields(ExternalAccount)
        /// The guest's own user name and password.
        case password(username: String, Password)
        /// The one-time password that was sent to the guest's mobile phone. With the access token of a guest who had it sent, it also
        /// proves that the number is theirs.
        case oneTimePassword(mobilePhone: String, OneTimeCode, provedBy: AccessToken? = nil)
        /// The authorization code of the hosted page, with its redirect URI and the verifier of its challenge.
        case authorizationCode(AuthorizationCode, redirectURI: RedirectURI?, CodeVerifier)
        /// The refresh token of a session that this client opened.
        case refreshToken(RefreshToken)
    }

    /// The guest's merchant.
    public var merchantID: Int64
    /// The requested scopes; nil for all that the client may request.
    public var scope: Scope?
    /// The credential.
    public var grant: Grant

    /// Creates a value. Each parameter sets the property of the same name.
    public init(merchantID: Int64, scope: Scope? = nil, grant: Grant) {
        self.merchantID = merchantID
        self.scope = scope
        self.grant = grant
    }

    /// `grant_type` of a grant by user fields.
    public static let fieldSet = "http://paytronix.com/oauth/fieldset"

    private static let common: Set<String> = ["authentication", "grant_type", "merchantId", "scope"]

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    public init(_ object: JSONObject) throws(LoyaltyFailure) {
        let type = try object.reading { (object) throws(MalformedValue) in
            try object.required("grant_type", object.string("grant_type"))
        }
        func refuseMembers(otherThan own: Set<String>) throws(LoyaltyFailure) {
            try object.reading { (object) throws(MalformedValue) in
                try object.refuseMembers(otherThan: Self.common.union(own))
            }
        }
        try object.requireB2B()
        switch type {
        case Self.fieldSet:
            try refuseMembers(otherThan: ["fields"])
            let fields = try object.reading { (object) throws(MalformedValue) in
                try object.required("fields", object.object("fields"))
            }
            grant = .fields(try ExternalAccount(fields, .ofFields))
        case "password":
            try refuseMembers(otherThan: ["username", "password"])
            grant = try object.reading { (object) throws(MalformedValue) in
                .password(
                    username: try object.required("username", object.string("username")),
                    try object.required("password", object.secret("password")))
            }
        case "one_time_password":
            try refuseMembers(otherThan: ["mobilePhone", "oneTimePassword", "access_token"])
            let (phone, code, token) = try object.reading { (object) throws(MalformedValue) in
                (
                    try object.string("mobilePhone"),
                    try object.required("oneTimePassword", object.secret("oneTimePassword") as OneTimeCode?),
                    try object.secret("access_token") as AccessToken?
                )
            }
            grant = .oneTimePassword(mobilePhone: try MobilePhone.checked(phone), code, provedBy: token)
        case "authorization_code":
            try refuseMembers(otherThan: ["code", "redirect_uri", "code_verifier"])
            grant = try object.reading { (object) throws(MalformedValue) in
                .authorizationCode(
                    try object.required("code", object.secret("code")), redirectURI: try object.value("redirect_uri"),
                    try object.required("code_verifier", object.secret("code_verifier")))
            }
        case "refresh_token":
            try refuseMembers(otherThan: ["refresh_token"])
            grant = try object.reading { (object) throws(MalformedValue) in
                .refreshToken(try object.required("refresh_token", object.secret("refresh_token")))
            }
        default: throw LoyaltyFailure(.unsupportedGrantType)
        }
        merchantID = try object.merchantID()
        guard let text = try object.reading({ (object) throws(MalformedValue) in try object.string("scope") }) else {
            return
        }
        do { scope = try Scope(text) } catch { throw LoyaltyFailure(.invalidScope) }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("authentication", "b2b")
        switch grant {
        case .fields: object.set("grant_type", Self.fieldSet)
        case .password: object.set("grant_type", "password")
        case .oneTimePassword: object.set("grant_type", "one_time_password")
        case .authorizationCode: object.set("grant_type", "authorization_code")
        case .refreshToken: object.set("grant_type", "refresh_token")
        }
        object.set("merchantId", merchantID)
        object.set("scope", scope)
        switch grant {
        case .fields(let account): object["fields"] = .object(account.json(.ofFields))
        case .password(let username, let password):
            object.set("username", username)
            object.set("password", password.reveal())
        case .oneTimePassword(let phone, let code, let token):
            object.set("mobilePhone", phone)
            object.set("oneTimePassword", code.reveal())
            object.set("access_token", token?.reveal())
        case .authorizationCode(let code, let redirectURI, let verifier):
            object.set("code", code.reveal())
            object.set("redirect_uri", redirectURI)
            object.set("code_verifier", verifier.reveal())
        case .refreshToken(let token): object.set("refresh_token", token.reveal())
        }
        return object
    }
}

extension JSONObject {
    /// `merchantId`.
    func merchantID() throws(LoyaltyFailure) -> Int64 {
        try reading { (object) throws(MalformedValue) in
            try object.required("merchantId", object.integer("merchantId"))
        }
    }
}

/// A guest's tokens, as the loyalty API writes them.
public struct GuestTokens: Hashable, Sendable {
    /// The access token.
    public var accessToken: AccessToken
    /// The validity in seconds.
    public var expiresIn: Int64
    /// The refresh token.
    public var refreshToken: RefreshToken
    /// The granted scopes.
    public var scope: Scope
    /// The guest's user name; nil if the account has none.
    public var username: String?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        accessToken: AccessToken, expiresIn: Int64, refreshToken: RefreshToken, scope: Scope, username: String?
    ) {
        self.accessToken = accessToken
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.scope = scope
        self.username = username
    }

    /// Reads an answer.
    /// - Parameter object: the members.
    /// - Throws: ``MalformedValue`` if one is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        accessToken = try object.required("access_token", object.secret("access_token"))
        expiresIn = try object.required("expires_in", object.integer("expires_in"))
        refreshToken = try object.required("refresh_token", object.secret("refresh_token"))
        scope = try object.value("scope") ?? .none
        username = try object.string("username")
    }

    /// Writes the members.
    func write(to writer: inout JSONWriter) {
        writer.member("access_token", accessToken.reveal())
        writer.member("token_type", "bearer")
        writer.member("expires_in", expiresIn)
        writer.member("refresh_token", refreshToken.reveal())
        writer.member("scope", scope.rawValue)
        writer.member("username", username)
    }
}

/// The answer to a ``GuestTokenRequest`` (`SuccessTokenResponse`).
public struct GuestTokenResponse: Hashable, Sendable {
    /// The tokens.
    public var tokens: GuestTokens

    /// Creates an answer.
    /// - Parameter tokens: the tokens.
    public init(tokens: GuestTokens) { self.tokens = tokens }

    /// `result` of the answer.
    public static let result = "success"

    /// Reads an answer.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` if it is anything else.
    public init(_ object: JSONObject) throws(MalformedValue) {
        guard object["result"]?.string == Self.result else {
            throw MalformedValue(field: "result", reason: "is not success")
        }
        tokens = try GuestTokens(object)
    }

    /// The body in UTF-8.
    public var bytes: [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.member("result", Self.result)
        tokens.write(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
