package import Kernel

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
package struct ClientChange: Codable, Hashable, Sendable {
    /// Shown on the sign-in page.
    package var name: String?
    package var addedRedirectURIs: [String] = []
    package var removedRedirectURIs: [String] = []
    package var addedScopes: [String] = []
    /// URLs that "Forgot your password?" may link to.
    package var addedResetCredentialsURLs: [String] = []
    package var removedResetCredentialsURLs: [String] = []
    package var addedConsentReturnURLs: [String] = []
    package var removedConsentReturnURLs: [String] = []
    /// Apps that open links to transactions.
    package var addedAppleAppIDs: [String] = []
    package var removedAppleAppIDs: [String] = []
    package var addedResources: [String] = []
    /// Tokens are no longer issued for these resources.
    package var removedResources: [String] = []
    /// Merchants whose guests it may speak for.
    package var addedLoyaltyMerchants: [Int64] = []
    package var removedLoyaltyMerchants: [Int64] = []
    /// The confidential client that redeems the codes; empty for none.
    package var redeemer: String?
    /// The site that must contain all https redirect URIs; empty for none.
    package var siteURL: String?
    /// Whether it is the operator's own app.
    package var firstParty: Bool?
    /// Whether every token request needs a DPoP proof.
    package var requiresDPoP: Bool?
    /// Whether the app may keep long-lived sessions with device authentication tokens.
    package var deviceTokens: Bool?
    /// Whether it may request tokens for guests that its backend vouches for.
    package var guestTokens: Bool?
    /// Whether it may request guest tokens by user name and password, too.
    package var guestPasswords: Bool?
    /// Whether devices enrolled from now on must confirm a code before they sign in.
    package var verifiesAppInstallation: Bool?
    /// Whether it may introspect every token.
    package var introspection: Bool?
    /// Whether it may create transactions without an account.
    package var allowsTransactionsWithoutAccount: Bool?

    package init() {}

    package var isEmpty: Bool { self == ClientChange() }
}

/// The registration of a new client. Its settings are members of its own: `registration.firstParty`.
@dynamicMemberLookup
package struct ClientRegistration: Sendable {
    /// `nil` generates one.
    package var id: String?
    /// Shown on the sign-in page.
    package var name: String
    package var kind: ClientKind
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
    package var settings = ClientSettings()

    package init(name: String, kind: ClientKind) {
        self.name = name
        self.kind = kind
    }

    package subscript<Value>(dynamicMember member: WritableKeyPath<ClientSettings, Value>) -> Value {
        get { settings[keyPath: member] }
        set { settings[keyPath: member] = newValue }
    }
}

/// One object: the settings are not nested.
extension ClientRegistration: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, name, kind, authenticationMethod, keySet, redirectURIs, scopes, brand
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.decode(String.self, forKey: .name),
            kind: try members.decode(ClientKind.self, forKey: .kind))
        id = try members.decodeIfPresent(String.self, forKey: .id)
        authenticationMethod = try members.decodeIfPresent(String.self, forKey: .authenticationMethod)
        keySet = try members.decodeIfPresent(String.self, forKey: .keySet)
        redirectURIs = try members.decode([String].self, forKey: .redirectURIs)
        scopes = try members.decode([String].self, forKey: .scopes)
        brand = try members.decodeIfPresent(String.self, forKey: .brand)
        settings = try ClientSettings(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(id, forKey: .id)
        try members.encode(name, forKey: .name)
        try members.encode(kind, forKey: .kind)
        try members.encodeIfPresent(authenticationMethod, forKey: .authenticationMethod)
        try members.encodeIfPresent(keySet, forKey: .keySet)
        try members.encode(redirectURIs, forKey: .redirectURIs)
        try members.encode(scopes, forKey: .scopes)
        try members.encodeIfPresent(brand, forKey: .brand)
    }
}
