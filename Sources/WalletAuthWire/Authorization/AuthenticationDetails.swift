/// A request for the URL that starts a brand's sign-in (`POST /v1/brands/{brandIdentity}/authentication-details`).
public struct AuthenticationDetailsRequest: Hashable, Sendable {
    /// The client.
    public var clientID: ClientID
    /// The PKCE challenge, always S256.
    public var codeChallenge: CodeChallenge
    /// Where the page sends a person who forgot their credentials; must be registered for the client.
    public var resetCredentialsURL: WebURL
    /// An opaque value that the callback repeats.
    public var state: OAuthState
    /// The redirect URI; must be registered for the client.
    public var redirectURI: RedirectURI
    /// The page's language.
    public var locale: LocaleTag?
    /// The user name to prefill.
    public var loginHint: String?
    /// The first factor that the page asks for.
    public var loginStrategy: AuthorizationRequest.LoginStrategy?
    /// The requested scopes.
    public var scope: Scope?
    /// The nonce for the ID token.
    public var nonce: Nonce?

    /// Creates a request with the required members.
    /// - Parameters:
    ///   - clientID: the client.
    ///   - codeChallenge: the PKCE challenge.
    ///   - resetCredentialsURL: where the page sends a person who forgot their credentials.
    ///   - state: an opaque value that the callback repeats.
    ///   - redirectURI: the redirect URI.
    public init(
        clientID: ClientID, codeChallenge: CodeChallenge, resetCredentialsURL: WebURL, state: OAuthState,
        redirectURI: RedirectURI
    ) {
        self.clientID = clientID
        self.codeChallenge = codeChallenge
        self.resetCredentialsURL = resetCredentialsURL
        self.state = state
        self.redirectURI = redirectURI
    }

    private static let members: Set<String> = [
        "clientId", "codeChallenge", "codeChallengeMethod", "resetCredentialsUrl", "state", "redirectUri", "locale",
        "loginHint", "loginStrategy", "scope", "nonce",
    ]

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.members)
        clientID = try object.required("clientId", object.value("clientId"))
        codeChallenge = try object.required("codeChallenge", object.value("codeChallenge"))
        if let method = try object.string("codeChallengeMethod"), method != CodeChallenge.method {
            throw MalformedValue(field: "codeChallengeMethod", reason: "is not S256")
        }
        resetCredentialsURL = try object.required("resetCredentialsUrl", object.value("resetCredentialsUrl"))
        state = try object.required("state", object.value("state"))
        redirectURI = try object.required("redirectUri", object.value("redirectUri"))
        locale = try object.value("locale")
        loginHint = try object.string("loginHint").map(TypedText.trimmed)
        if let loginHint, let reason = TextRule.printable(loginHint, 1...256) {
            throw MalformedValue(field: "loginHint", reason: reason)
        }
        loginStrategy = try object.named("loginStrategy")
        scope = try object.value("scope")
        nonce = try object.value("nonce")
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("clientId", clientID)
        object.set("codeChallenge", codeChallenge)
        object.set("codeChallengeMethod", CodeChallenge.method)
        object.set("resetCredentialsUrl", resetCredentialsURL)
        object.set("state", state)
        object.set("redirectUri", redirectURI)
        object.set("locale", locale)
        object.set("loginHint", loginHint)
        object.set("loginStrategy", loginStrategy?.rawValue)
        object.set("scope", scope)
        object.set("nonce", nonce)
        return object
    }
}

/// The answer: where to send the person.
public struct AuthenticationDetailsResponse: WireMessage {
    /// The URL to open in an external user agent.
    public let authenticationURL: WebURL
    /// How many seconds the URL stays valid.
    public let expiresIn: Int64

    /// Creates an answer.
    /// - Parameters:
    ///   - authenticationURL: the URL to open.
    ///   - expiresIn: seconds.
    public init(authenticationURL: WebURL, expiresIn: Int64) {
        self.authenticationURL = authenticationURL
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case authenticationURL = "authenticationUrl"
        case expiresIn
    }
}
