/// Commands about identity providers.
public enum ProviderCommand: Codable, Sendable {
    /// Adds an OpenID provider.
    case addOpenID(OpenIDRegistration)
    /// Adds the issuer's own user repository.
    case addRepository(RepositoryRegistration)
    /// One line for each provider.
    case list
    /// Everything about one provider, except its secret; `brand` `nil` for `default`.
    case show(id: String, brand: String?)
    /// Asks every provider what it publishes of itself, and says what keeps people from signing in by it.
    case examine
    /// The same for one provider, with the server's own credentials there; refused where there is a problem.
    case check(id: String, brand: String?)
    /// Removes a provider, with the merchants' integrations that it is; whoever is linked by it stays linked, and cannot come by it.
    case remove(id: String, brand: String?)
}

/// What an operator says about an OpenID provider.
public struct OpenIDRegistration: Codable, Sendable {
    /// What apps call it.
    public var id: String
    /// Whose people may come by it; `nil` for `default`.
    public var brand: String?
    /// Its issuer, to the letter.
    public var issuer: String
    /// The client that the provider registered for this server.
    public var clientID: String
    /// The client's secret; `nil` for a public client.
    public var clientSecret: String?
    /// `client_secret_basic` (the default with a secret), `client_secret_post`, or `none` (the default without).
    public var authentication: String?
    /// The claim that holds the e-mail address; `nil` for `email`.
    public var emailClaim: String?
    /// The claim that says whether it is verified; `nil` for `email_verified`.
    public var emailVerifiedClaim: String?
    /// Whether it is believed that an address is verified.
    public var trustsEmail = false
    /// Whether it lies in the operator's own network.
    public var isInternal = false
    /// Whether a code by e-mail is a second factor after its word.
    public var countsEmail = false
    /// Whether hosted pages show it.
    public var isOnPages = false
    /// What people call it there.
    public var label: String?
    /// Whether its authorization endpoint may forward browsers to other hosts.
    public var forwards = false

    /// - Parameters:
    ///   - id: what apps call it.
    ///   - issuer: its issuer, to the letter.
    ///   - clientID: the client that the provider registered for this server.
    public init(id: String, issuer: String, clientID: String) {
        self.id = id
        self.issuer = issuer
        self.clientID = clientID
    }
}

/// What an operator says about the issuer's own user repository.
public struct RepositoryRegistration: Codable, Sendable {
    /// What apps call it.
    public var id: String
    /// Whose people it knows; `nil` for `default`.
    public var brand: String?
    /// The URL that verifies a name and a password.
    public var endpoint: String
    /// Whether it is believed that an address is verified.
    public var trustsEmail = false
    /// Whether it lies in the operator's own network.
    public var isInternal = false
    /// Whether a code by e-mail is a second factor after its word.
    public var countsEmail = false

    /// - Parameters:
    ///   - id: what apps call it.
    ///   - endpoint: the URL that verifies a name and a password.
    public init(id: String, endpoint: String) {
        self.id = id
        self.endpoint = endpoint
    }
}
