package import WalletAuthWire

/// The operator's settings for an OpenID provider.
package struct OpenIDSettings: Codable, Sendable, Hashable {
    /// Compared byte by byte.
    package var issuer: Issuer
    /// This server's client ID at the provider.
    package var clientID: String
    /// The client authentication at the token endpoint: `client_secret_basic`, `client_secret_post` or `none`.
    package var authentication: String
    package var emailClaim: String
    package var emailVerifiedClaim: String
    /// Whether the provider is trusted to say that an address is verified.
    package var trustsEmail: Bool
    /// Whether the provider is in the operator's own network.
    package var isInternal: Bool
    /// Whether a code by e-mail is a second factor after this provider.
    package var emailIsSecondFactor: Bool
    /// The display name on hosted pages; `nil` if they do not show it.
    package var pageName: String?
    /// Whether its authorization endpoint may redirect the browser to other hosts.
    package var redirectsToOtherHosts: Bool

    package init(
        issuer: Issuer, clientID: String, authentication: String, emailClaim: String, emailVerifiedClaim: String,
        trustsEmail: Bool, isInternal: Bool, emailIsSecondFactor: Bool = false, pageName: String? = nil,
        redirectsToOtherHosts: Bool = false
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.authentication = authentication
        self.emailClaim = emailClaim
        self.emailVerifiedClaim = emailVerifiedClaim
        self.trustsEmail = trustsEmail
        self.isInternal = isInternal
        self.emailIsSecondFactor = emailIsSecondFactor
        self.pageName = pageName
        self.redirectsToOtherHosts = redirectsToOtherHosts
    }
}

/// The operator's settings for the issuer's own user repository.
package struct RepositorySettings: Codable, Sendable, Hashable {
    /// The https URL that verifies a name and a password.
    package var endpoint: WebURL
    /// Whether the repository is trusted to say that an address is verified.
    package var trustsEmail: Bool
    /// Whether the repository is in the operator's own network.
    package var isInternal: Bool
    /// Whether a code by e-mail is a second factor after this repository.
    package var emailIsSecondFactor: Bool

    package init(endpoint: WebURL, trustsEmail: Bool, isInternal: Bool, emailIsSecondFactor: Bool = false) {
        self.endpoint = endpoint
        self.trustsEmail = trustsEmail
        self.isInternal = isInternal
        self.emailIsSecondFactor = emailIsSecondFactor
    }
}
