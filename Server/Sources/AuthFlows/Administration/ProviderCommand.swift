/// Commands about identity providers.
package enum ProviderCommand: Codable, Sendable {
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
package struct OpenIDRegistration: Codable, Sendable {
    /// What apps call it.
    package var id: String
    /// Whose people may come by it; `nil` for `default`.
    package var brand: String?
    /// Its issuer, to the letter.
    package var issuer: String
    /// The client that the provider registered for this server.
    package var clientID: String
    /// The client's secret; `nil` for a public client.
    package var clientSecret: String?
    /// `client_secret_basic` (the default with a secret), `client_secret_post`, or `none` (the default without).
    package var authentication: String?
    /// The claim that holds the e-mail address; `nil` for `email`.
    package var emailClaim: String?
    /// The claim that says whether it is verified; `nil` for `email_verified`.
    package var emailVerifiedClaim: String?
    /// Whether it is believed that an address is verified.
    package var trustsEmail = false
    /// Whether it lies in the operator's own network.
    package var isInternal = false
    /// Whether a code by e-mail is a second factor after its word.
    package var countsEmail = false
    /// Whether hosted pages show it.
    package var isOnPages = false
    /// What people call it there.
    package var label: String?
    /// Whether its authorization endpoint may forward browsers to other hosts.
    package var forwards = false

    /// - Parameters:
    ///   - id: what apps call it.
    ///   - issuer: its issuer, to the letter.
    ///   - clientID: the client that the provider registered for this server.
    package init(id: String, issuer: String, clientID: String) {
        self.id = id
        self.issuer = issuer
        self.clientID = clientID
    }
}

/// What an operator says about the issuer's own user repository.
package struct RepositoryRegistration: Codable, Sendable {
    /// What apps call it.
    package var id: String
    /// Whose people it knows; `nil` for `default`.
    package var brand: String?
    /// The URL that verifies a name and a password.
    package var endpoint: String
    /// Whether it is believed that an address is verified.
    package var trustsEmail = false
    /// Whether it lies in the operator's own network.
    package var isInternal = false
    /// Whether a code by e-mail is a second factor after its word.
    package var countsEmail = false

    /// - Parameters:
    ///   - id: what apps call it.
    ///   - endpoint: the URL that verifies a name and a password.
    package init(id: String, endpoint: String) {
        self.id = id
        self.endpoint = endpoint
    }
}
