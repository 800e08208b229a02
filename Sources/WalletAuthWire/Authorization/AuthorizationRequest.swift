/// An authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.1) for a code, with PKCE S256.
public struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// How the answer travels.
    public enum ResponseMode: String, Hashable, Sendable, Codable {
        /// In the redirect URI's query.
        case query
        /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
    }

    /// What the client wants to be shown, or not (OpenID Connect Core section 3.1.2.1).
    public enum Prompt: String, Hashable, Sendable, Codable {
        /// No page at all; cannot be combined.
        case none
        /// Sign in again.
        case login
        /// Ask for consent again.
        case consent
        /// Choose the account.
        case selectAccount = "select_account"
    }

    /// With what the hosted page begins.
    public enum LoginStrategy: String, Hashable, Sendable, Codable {
        /// The account's PIN.
        case pin = "PIN"
        /// The password.
        case password = "PASSWORD"
    }

    /// The client.
    public var clientID: ClientID
    /// Where the answer goes. Compared with the registered ones before anything is sent there.
    public var redirectURI: RedirectURI
    /// The PKCE challenge.
    public var codeChallenge: CodeChallenge
    /// What is asked for.
    public var scope: Scope
    /// What comes back with the answer.
    public var state: OAuthState?
    /// What comes back in the ID token.
    public var nonce: Nonce?
    /// How the answer travels.
    public var responseMode: ResponseMode
    /// What is to be shown, in the order given; values that are not known are ignored.
    public var prompt: [Prompt]
    /// How many seconds the sign-in may lie back; 0 asks for a new one.
    public var maxAge: Int64?
    /// The levels of authentication that are wished for, best first.
    public var acrValues: [String]
    /// What the person may have typed already.
    public var loginHint: String?
    /// The languages of the page, best first; tags that are malformed are ignored.
    public var uiLocales: [LocaleTag]
    /// An ID token that says who is expected.
    public var idTokenHint: IDToken?
    /// The key that the code is bound to (RFC 9449 section 10).
    public var dpopKeyThumbprint: JWKThumbprint?
    /// The resources that the token is for (RFC 8707).
    public var resources: [String]
    /// The merchant for whom the person signs in.
    public var merchantID: MerchantID?
    /// The brand whose look the page has.
    public var brand: BrandID?
    /// With what the page begins.
    public var loginStrategy: LoginStrategy?
    /// Where the page sends whoever forgot the credentials. Compared with the registered ones before it is shown.
    public var resetCredentialsURL: WebURL?
    /// When the request is over, where it came from a brand's authentication details: it begins nothing from then on.
    public var expiresAt: NumericDate?

    /// Makes a request with what must be there.
    /// - Parameters:
    ///   - clientID: the client.
    ///   - redirectURI: where the answer goes.
    ///   - codeChallenge: the PKCE challenge.
    ///   - scope: what is asked for.
    ///   - state: what comes back with the answer.
    public init(
        clientID: ClientID, redirectURI: RedirectURI, codeChallenge: CodeChallenge, scope: Scope = .none,
        state: OAuthState? = nil
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.scope = scope
        self.state = state
        responseMode = .query
        prompt = []
        acrValues = []
        uiLocales = []
        resources = []
    }
}

extension AuthorizationRequest {
    /// Why a request is refused, and whether the client may be told by a redirect.
    public enum Refusal: Error, Hashable, Sendable {
        /// Client or redirect URI are missing or malformed: nobody is redirected, a page is shown.
        case showPage(OAuthError)
        /// Something else is wrong. The client is told by a redirect, **after** the redirect URI was found registered.
        case redirect(Target, OAuthError)
    }

    /// Where an error would go.
    public struct Target: Hashable, Sendable {
        /// The client.
        public let clientID: ClientID
        /// The redirect URI, well-formed but not yet compared with the registered ones.
        public let redirectURI: RedirectURI
        /// The state to return.
        public let state: OAuthState?
        /// How the answer travels.
        public let responseMode: ResponseMode
    }
}
