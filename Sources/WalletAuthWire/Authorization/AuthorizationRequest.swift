/// An authorization request for a code (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1), with PKCE S256 or, for some clients, without.
public struct AuthorizationRequest: Hashable, Sendable, Codable {
    /// How the response is delivered.
    public enum ResponseMode: String, Hashable, Sendable, Codable, CaseIterable {
        /// In the redirect URI's query.
        case query
        /// In a form that the browser posts (OAuth 2.0 Form Post Response Mode).
        case formPost = "form_post"
        /// As a signed JWT in the query: what `jwt` means for a code (JARM §2.3.4).
        case jwt
        /// As a signed JWT in the query (JARM §2.3.1).
        case queryJWT = "query.jwt"
        /// As a signed JWT in a form that the browser posts (JARM §2.3.3).
        case formPostJWT = "form_post.jwt"

        /// Whether the server signs the response.
        public var isSigned: Bool { self == .jwt || self == .queryJWT || self == .formPostJWT }

        /// Whether the browser posts it.
        public var isFormPost: Bool { self == .formPost || self == .formPostJWT }
    }

    /// The pages that the client wants shown, or not (OpenID Connect Core §3.1.2.1).
    public enum Prompt: String, Hashable, Sendable, Codable {
        /// Show no page at all; cannot be combined.
        case none
        /// Sign in again.
        case login
        /// Ask for consent again.
        case consent
        /// Choose the account.
        case selectAccount = "select_account"
    }

    /// The first factor that the hosted page asks for.
    public enum LoginStrategy: String, Hashable, Sendable, Codable, CaseIterable {
        /// The account's PIN, where the brand accepts one. It is set on the account page and belongs to no device. The page also
        /// offers the password. A request fails if the brand accepts no PINs.
        case pin = "PIN"
        /// The password.
        case password = "PASSWORD"
    }

    /// The client.
    public var clientID: ClientID
    /// The redirect URI. It is compared with the registered ones before anything is sent there.
    public var redirectURI: RedirectURI
    /// The PKCE challenge; nil is for the few confidential clients that a server excepts from it.
    public var codeChallenge: CodeChallenge?
    /// The requested scopes.
    public var scope: Scope
    /// An opaque value that the response repeats.
    public var state: OAuthState?
    /// The nonce for the ID token.
    public var nonce: Nonce?
    /// How the response is delivered.
    public var responseMode: ResponseMode = .query
    /// The pages to show, in the given order; unknown values are ignored.
    public var prompt: [Prompt] = []
    /// The maximum age of the sign-in in seconds; 0 requires a new one.
    public var maxAge: Int64?
    /// The desired authentication levels, in order of preference.
    public var acrValues: [String] = []
    /// The user name to prefill.
    public var loginHint: String?
    /// The languages of the page in order of preference; malformed tags are ignored.
    public var uiLocales: [LocaleTag] = []
    /// An ID token that names the expected person.
    public var idTokenHint: IDToken?
    /// The key that the code is bound to (RFC 9449 §10).
    public var dpopKeyThumbprint: JWKThumbprint?
    /// The resources that the token is for (RFC 8707).
    public var resources: [String] = []
    /// The claims that the client asks for one by one. What has to be reached for them is in ``acrValues``.
    public var claims: ClaimsRequest?
    /// What the client asks for besides scopes (RFC 9396). The person grants it for this authorization alone.
    public var authorizationDetails: AuthorizationDetails?
    /// The merchant to act for.
    public var merchantID: MerchantID?
    /// The brand whose look the page has.
    public var brand: BrandID?
    /// The first factor that the page asks for.
    public var loginStrategy: LoginStrategy?
    /// Where the page sends a person who forgot their credentials. It is compared with the registered URLs before it is
    /// shown.
    public var resetCredentialsURL: WebURL?
    /// When a request from a brand's authentication details expires and can no longer start a sign-in.
    public var expiresAt: NumericDate?
    /// The reference under which the client pushed the request (RFC 9126). In a URL it replaces all parameters but the client.
    public var requestURI: PushedRequestURI?
    /// The object in which the client signed the request (RFC 9101). In a URL it replaces all parameters but the client.
    public var requestObject: RequestObject?

    /// Creates a request with the required members.
    /// - Parameters:
    ///   - clientID: the client.
    ///   - redirectURI: the redirect URI.
    ///   - codeChallenge: the PKCE challenge.
    ///   - scope: the requested scopes.
    ///   - state: an opaque value that the response repeats.
    public init(
        clientID: ClientID, redirectURI: RedirectURI, codeChallenge: CodeChallenge?, scope: Scope = .none,
        state: OAuthState? = nil
    ) {
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.scope = scope
        self.state = state
    }
}

extension AuthorizationRequest {
    /// The reason a request is refused, and whether it may be reported through a redirect.
    public enum Refusal: Error, Hashable, Sendable {
        /// Client or redirect URI are missing or malformed: show a page and do not redirect.
        case showPage(OAuthError)
        /// Something else is wrong. Report it through a redirect, **after** checking that the redirect URI is
        /// registered.
        case redirect(Target, OAuthError)
    }

    /// The destination of an error.
    public struct Target: Hashable, Sendable {
        /// The client.
        public let clientID: ClientID
        /// The redirect URI, well-formed but not yet compared with the registered ones.
        public let redirectURI: RedirectURI
        /// The state to return.
        public let state: OAuthState?
        /// How the response is delivered.
        public let responseMode: ResponseMode
    }
}
