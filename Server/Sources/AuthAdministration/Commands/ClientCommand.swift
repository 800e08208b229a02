package enum ClientCommand: Codable, Sendable {
    /// Registers a client. The answer shows the secret of a confidential one, once.
    case create(ClientRegistration)
    /// One line for each client.
    case list
    /// Everything about one client, except its secret.
    case show(id: String)
    /// Changes what can change without affecting sessions in use.
    case update(id: String, ClientChange)
    /// Removes a client; its sessions end.
    case delete(id: String)
}

/// Changes to a client; omitted members stay. Everything else would end or alter sessions in use: the client's id, its
/// authentication, the binding of tokens to keys, the scopes and merchants of sessions. For that, register another client.
package struct ClientChange: Codable, Sendable {
    /// Shown on the sign-in page.
    package var name: String?
    package var addedRedirectURIs: [String] = []
    package var removedRedirectURIs: [String] = []
    package var addedScopes: [String] = []
    /// URLs that "Forgot your password?" may link to.
    package var addedResetCredentialsURLs: [String] = []
    package var removedResetCredentialsURLs: [String] = []
    package var addedReturnURLs: [String] = []
    package var removedReturnURLs: [String] = []
    /// Apps that open links to transactions.
    package var addedAppIDs: [String] = []
    package var removedAppIDs: [String] = []
    package var addedResources: [String] = []
    /// Tokens are no longer issued for these resources.
    package var removedResources: [String] = []
    /// The confidential client that redeems the codes; empty for none.
    package var redeemer: String?
    /// The site that must contain all https redirect URIs; empty for none.
    package var siteURL: String?
    /// Whether every token request needs a DPoP proof.
    package var requiresDPoP: Bool?
    /// Whether the app may keep long-lived sessions with device authentication tokens.
    package var deviceTokens: Bool?
    /// Whether it may request tokens for guests that its backend vouches for.
    package var guestTokens: Bool?
    /// Whether it may request guest tokens by user name and password, too.
    package var guestPasswords: Bool?
    /// Whether devices enrolled from now on must confirm a code before they sign in.
    package var verifiesInstances: Bool?
    /// Whether it may introspect every token.
    package var introspects: Bool?
    /// Whether it may create transactions without an account.
    package var allowsUnaddressedTransactions: Bool?

    package init() {}

    package var isEmpty: Bool {
        name == nil && requiresDPoP == nil && deviceTokens == nil && verifiesInstances == nil && introspects == nil
            && allowsUnaddressedTransactions == nil && guestTokens == nil && guestPasswords == nil
            && (addedRedirectURIs + removedRedirectURIs + addedScopes + addedResetCredentialsURLs).isEmpty
            && (addedReturnURLs + removedReturnURLs + addedAppIDs + removedAppIDs).isEmpty
            && (removedResetCredentialsURLs + addedResources + removedResources).isEmpty
            && redeemer == nil && siteURL == nil
    }
}

/// The registration of a new client. Lifetimes are in seconds.
package struct ClientRegistration: Codable, Sendable {
    /// Whether a client can keep a secret (RFC 6749 §2.1).
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// An app in people's hands: PKCE, no secret.
        case `public`
        /// A backend.
        case confidential
    }

    /// `nil` generates one.
    package var id: String?
    /// Shown on the sign-in page.
    package var name: String
    package var kind: Kind
    /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`; `nil` for the kind's default.
    package var authenticationMethod: String?
    /// The JWK set for `private_key_jwt`, as JSON.
    package var keySet: String?
    /// Compared exactly.
    package var redirectURIs: [String] = []
    /// The widest scope that the client may request.
    package var scopes: [String] = []
    /// The brand of the accounts that sign in; `nil` for `default`.
    package var brand: String?
    /// The operator's own app: it may sign in natively and needs no consent.
    package var firstParty = false
    /// Whether every token request needs a DPoP proof. `nil`: yes for a public first-party client, no for others.
    package var requiresDPoP: Bool?
    /// The base URL that must contain all https redirect URIs.
    package var siteURL: String?
    /// URLs that "Forgot your password?" may link to.
    package var resetCredentialsURLs: [String] = []
    /// URLs to which the consent page for operations returns, compared exactly.
    package var returnURLs: [String] = []
    /// The apps that open links to transactions, as Apple identifies them: `TEAMID.bundle.id`.
    package var appIDs: [String] = []
    /// The `resource` values that the client may request (RFC 8707). Without any, tokens are for the issuer.
    package var resources: [String] = []
    /// A sign-in needs a `merchant_id`.
    package var requiresMerchant = false
    /// The confidential client that may redeem this client's codes.
    package var redeemer: String?
    /// Under the FAPI 2.0 profile: refresh tokens do not rotate.
    package var fapi = false
    /// An enrolled device signs in only after its installation confirmed a code.
    package var verifiesInstances = false
    /// The app may keep long-lived sessions with device authentication tokens.
    package var deviceTokens = false
    /// May request tokens for guests that its backend vouches for. It counts as a first-party client.
    package var guestTokens = false
    /// May request guest tokens by user name and password, too.
    package var guestPasswords = false
    /// May introspect every token, as a resource server does.
    package var introspects = false
    /// May create transactions without an account: the first device that scans the code signs.
    package var allowsUnaddressedTransactions = false
    /// `RS256` (the default), `ES256` or `EdDSA`.
    package var idTokenAlgorithm: String?
    /// Default 300.
    package var accessTokenLifetime: Int?
    /// Default 30 days without use.
    package var refreshIdleLifetime: Int?
    /// Default 90 days, used or not.
    package var refreshAbsoluteLifetime: Int?

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
