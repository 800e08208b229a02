/// Commands about clients.
package enum ClientCommand: Codable, Sendable {
    /// Registers a client. The answer shows the secret of a confidential one, once.
    case create(ClientRegistration)
    /// One line for each client.
    case list
    /// Everything about one client, except its secret.
    case show(id: String)
    /// Changes what can change under the sessions that there are.
    case update(id: String, ClientChange)
    /// Removes a client; its sessions end.
    case delete(id: String)
}

/// What changes about a client; what is left out stays. What is not here ends or alters sessions that are under way (who the
/// client is, how it proves itself, whose tokens are bound to keys, the scopes and merchants that sessions were opened
/// with): that takes a client of its own.
package struct ClientChange: Codable, Sendable {
    /// What people read on the sign-in page.
    package var name: String?
    /// Redirect URIs beside those that there are.
    package var addedRedirectURIs: [String] = []
    /// Redirect URIs that are no longer taken.
    package var removedRedirectURIs: [String] = []
    /// Scopes beside those that there are.
    package var addedScopes: [String] = []
    /// Places beside those that there are to which "Forgot your password?" may lead.
    package var addedResetCredentialsURLs: [String] = []
    /// Places to which it leads no more.
    package var removedResetCredentialsURLs: [String] = []
    /// Return URLs beside those that there are.
    package var addedReturnURLs: [String] = []
    /// Return URLs to which no page comes back any more.
    package var removedReturnURLs: [String] = []
    /// Further apps that open links to transactions.
    package var addedAppIDs: [String] = []
    /// Apps that open them no more.
    package var removedAppIDs: [String] = []
    /// Resources beside those that there are.
    package var addedResources: [String] = []
    /// Resources for which no token is issued any more.
    package var removedResources: [String] = []
    /// The confidential client that redeems the codes; empty for none.
    package var redeemer: String?
    /// The site under which https redirect URIs have to lie; empty for none.
    package var siteURL: String?
    /// Whether every token request needs a DPoP proof.
    package var requiresDPoP: Bool?
    /// Whether the app may keep long-lived sessions by device authentication tokens.
    package var deviceTokens: Bool?
    /// Whether it may request tokens for guests whom its backend brings.
    package var guestTokens: Bool?
    /// Whether it may request them by user name and password, too.
    package var guestPasswords: Bool?
    /// Whether devices that are enrolled from now on confirm a code before they sign in.
    package var verifiesInstances: Bool?
    /// Whether it may ask the introspection endpoint about every token.
    package var introspects: Bool?
    /// Whether it may create transactions without an account.
    package var allowsUnaddressedTransactions: Bool?

    /// A change of nothing.
    package init() {}

    /// Whether nothing would change.
    package var isEmpty: Bool {
        name == nil && requiresDPoP == nil && deviceTokens == nil && verifiesInstances == nil && introspects == nil
            && allowsUnaddressedTransactions == nil && guestTokens == nil && guestPasswords == nil
            && (addedRedirectURIs + removedRedirectURIs + addedScopes + addedResetCredentialsURLs).isEmpty
            && (addedReturnURLs + removedReturnURLs + addedAppIDs + removedAppIDs).isEmpty
            && (removedResetCredentialsURLs + addedResources + removedResources).isEmpty
            && redeemer == nil && siteURL == nil
    }
}

/// What an operator says about a new client. Lifetimes are in seconds.
package struct ClientRegistration: Codable, Sendable {
    /// Whether a client can keep a secret (RFC 6749 §2.1).
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// An app in people's hands: PKCE, no secret.
        case `public`
        /// A backend.
        case confidential
    }

    /// The client id; `nil` has one made.
    package var id: String?
    /// What people read on the sign-in page.
    package var name: String
    /// Public or confidential.
    package var kind: Kind
    /// `none`, `client_secret_basic`, `client_secret_post` or `private_key_jwt`; `nil` for the kind's usual one.
    package var authenticationMethod: String?
    /// The JWK set for `private_key_jwt`, as JSON.
    package var keySet: String?
    /// Redirect URIs, compared to the letter.
    package var redirectURIs: [String] = []
    /// The widest scope that the client may ask for.
    package var scopes: [String] = []
    /// The brand whose people sign in; `nil` for `default`.
    package var brand: String?
    /// The operator's own app: native sign-in is allowed, and people are not asked for consent.
    package var firstParty = false
    /// Whether every token request needs a DPoP proof; `nil` for yes with a public first-party client, for no with others.
    package var requiresDPoP: Bool?
    /// The base URL under which https redirect URIs have to lie.
    package var siteURL: String?
    /// Where "Forgot your password?" may lead.
    package var resetCredentialsURLs: [String] = []
    /// Where the page comes back to on which people agree to operations, compared to the letter.
    package var returnURLs: [String] = []
    /// The apps that open links to transactions, as Apple names them: `TEAMID.bundle.id`.
    package var appIDs: [String] = []
    /// The `resource` values that the client may ask for (RFC 8707); the issuer is meant where there is none.
    package var resources: [String] = []
    /// A sign-in needs a `merchant_id`.
    package var requiresMerchant = false
    /// The confidential client that may redeem this client's codes.
    package var redeemer: String?
    /// Under the FAPI 2.0 profile: refresh tokens do not rotate.
    package var fapi = false
    /// An enrolled device signs in only after its installation confirmed a code.
    package var verifiesInstances = false
    /// The app may keep long-lived sessions by device authentication tokens.
    package var deviceTokens = false
    /// May request tokens for guests whom its backend brings; it counts as the operator's own.
    package var guestTokens = false
    /// May request them by user name and password, too.
    package var guestPasswords = false
    /// May ask the introspection endpoint about every token, as a resource server does.
    package var introspects = false
    /// May create transactions without an account: the first device that scans the code signs.
    package var allowsUnaddressedTransactions = false
    /// `RS256` (the default), `ES256` or `EdDSA`.
    package var idTokenAlgorithm: String?
    /// Access tokens live so long; default 300.
    package var accessTokenLifetime: Int?
    /// A session unused for so long ends; default 30 days.
    package var refreshIdleLifetime: Int?
    /// A session ends after so long, used or not; default 90 days.
    package var refreshAbsoluteLifetime: Int?

    /// - Parameters:
    ///   - name: what people read on the sign-in page.
    ///   - kind: public or confidential.
    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
