/// The registration of an OpenID provider.
package struct OpenIDRegistration: Sendable {
    /// The id that apps use.
    package var id: String
    /// The brand whose accounts may use it; `nil` for `default`.
    package var brand: String?
    /// Compared exactly.
    package var issuer: String
    /// The client that the provider registered for this server.
    package var clientID: String
    /// `nil` for a public client.
    package var clientSecret: String?
    /// `client_secret_basic` (the default with a secret), `client_secret_post`, or `none` (the default without).
    package var authentication: String?
    /// The claim with the e-mail address; `nil` for `email`.
    package var emailClaim: String?
    /// The claim that says whether the address is verified; `nil` for `email_verified`.
    package var emailVerifiedClaim: String?
    /// Whether this server believes the provider that an address is verified.
    package var trustsEmail = false
    /// Whether it is in the operator's own network.
    package var isInternal = false
    /// Whether a code by e-mail counts as a second factor after a sign-in with it.
    package var emailIsSecondFactor = false
    /// Whether the sign-in page shows it.
    package var isOnSignInPage = false
    /// Its name there.
    package var label: String?
    /// Whether its authorization endpoint may redirect browsers to other hosts.
    package var redirectsToOtherHosts = false
}

/// The registration of the issuer's own user repository.
package struct RepositoryRegistration: Sendable {
    /// The id that apps use.
    package var id: String
    /// The brand of its users; `nil` for `default`.
    package var brand: String?
    /// The URL that verifies a name and a password.
    package var endpoint: String
    /// The last day on which it is asked for the passwords of imported accounts that have none; `nil` for a provider that apps use.
    package var adoptsUntil: String?
    /// Whether this server believes the repository that an address is verified.
    package var trustsEmail = false
    /// Whether it is in the operator's own network.
    package var isInternal = false
    /// Whether a code by e-mail counts as a second factor after a sign-in with it.
    package var emailIsSecondFactor = false
}

/// The registration of a former system's introspection endpoint.
package struct IntrospectionRegistration: Sendable {
    package var id: String
    /// `nil` for `default`.
    package var brand: String?
    package var endpoint: String
    /// This server's client there.
    package var clientID: String
    package var clientSecret: String?
    /// The clients here that may exchange its refresh tokens.
    package var clients: [String]
    /// The clients there that the tokens were issued to.
    package var formerClients: [String]
    /// The last day.
    package var until: String
    /// Whether it is in the operator's own network.
    package var isInternal = false
}
