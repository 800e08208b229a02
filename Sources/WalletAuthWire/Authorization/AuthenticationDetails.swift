/// A request for the URL that starts a brand's sign-in (`POST /v1/brands/{brandIdentity}/authentication-details`).
public struct AuthenticationDetailsRequest: WireRequest {
    /// The client.
    public var clientID: ClientID
    /// The PKCE challenge, always S256.
    public var codeChallenge: CodeChallenge
    /// May be left out.
    private var codeChallengeMethod: ChallengeMethod? = .s256
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

    private enum ChallengeMethod: String, Codable, CaseIterable {
        case s256 = "S256"
    }

    enum CodingKeys: String, CodingKey {
        case clientID = "clientId"
        case codeChallenge, codeChallengeMethod
        case resetCredentialsURL = "resetCredentialsUrl"
        case state
        case redirectURI = "redirectUri"
        case locale, loginHint, loginStrategy, scope, nonce
    }

    /// Drops white space around ``loginHint``.
    public mutating func validate() throws(MalformedValue) {
        codeChallengeMethod = .s256
        loginHint = loginHint.map(TypedText.trimmed)
        if let reason = loginHint.flatMap({ TextRule.printable($0, 1...256) }) {
            throw MalformedValue(field: "loginHint", reason: reason)
        }
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
