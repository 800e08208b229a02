internal import AuthCore
package import WalletAuthWire

/// What clients read first: the two metadata documents and the key set. Computed from memory; the edge may cache.
package struct Discovery: Sendable {
    let context: ServerContext

    /// The authorization server's metadata (RFC 8414) and, with the same members, the OpenID provider's (OpenID Connect
    /// Discovery §3). Names only what is served.
    package func metadata() -> ServerMetadata {
        let issuer = context.settings.issuer
        func url(_ endpoint: Endpoint) -> WebURL? { try? WebURL(issuer.url(path: endpoint.path)) }
        var metadata = ServerMetadata(issuer: issuer)
        metadata.authorizationEndpoint = url(Endpoints.authorize)
        metadata.tokenEndpoint = url(Endpoints.token)
        metadata.keysURL = url(Endpoints.keys)
        metadata.authorizationChallengeEndpoint = url(Endpoints.authorizeChallenge)
        metadata.revocationEndpoint = url(Endpoints.revoke)
        metadata.introspectionEndpoint = url(Endpoints.introspect)
        metadata.userInfoEndpoint = url(Endpoints.userInfo)
        metadata.scopes = ["openid", "profile", "email", "phone", "address", "offline_access"]
        metadata.responseTypes = ["code"]
        metadata.responseModes = [
            AuthorizationRequest.ResponseMode.query.rawValue, AuthorizationRequest.ResponseMode.formPost.rawValue,
        ]
        metadata.grantTypes = GrantType.allCases.map(\.rawValue)
        metadata.codeChallengeMethods = [CodeChallenge.method]
        let methods = WalletAuthWire.ClientAuthenticationMethod.allCases
        metadata.clientAuthenticationMethods = methods.map(\.rawValue)
        metadata.revocationAuthenticationMethods = methods.map(\.rawValue)
        metadata.introspectionAuthenticationMethods = methods.filter { $0 != .none }.map(\.rawValue)
        metadata.clientAssertionAlgorithms = SigningAlgorithm.allCases.flatMap(\.names)
        metadata.dpopAlgorithms = DPoPProof.algorithmNames
        metadata.subjectTypes = ["public"]
        metadata.idTokenAlgorithms = [
            SigningAlgorithm.rs256.rawValue, SigningAlgorithm.es256.rawValue, SigningAlgorithm.edDSA.rawValue,
        ]
        metadata.acrValues = [AuthenticationStrength.singleFactor, AuthenticationStrength.twoFactors]
        metadata.claims = [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash",
            "name", "given_name", "family_name", "preferred_username", "locale", "email", "email_verified",
            "phone_number", "phone_number_verified", "address",
        ]
        metadata.promptValues = ["none", "login", "consent", "select_account"]
        metadata.uiLocales = ["en", "de", "fr", "es", "bg"]
        metadata.namesIssuerInResponses = true
        metadata.keepsRefreshAttempts = true
        return metadata
    }

    /// The published signing keys: those that sign, those that are about to and those whose tokens still live.
    /// - Returns: the set, and for how many seconds it may be cached.
    /// - Throws: infrastructure errors.
    package func keySet() async throws -> (set: JWKSet, maximumAge: Int64) {
        try await context.keyRing.refreshIfStale(now: context.clock.now())
        return (context.keyRing.publishedKeys(), context.settings.signingKeys.keySetMaximumAge.wholeSeconds)
    }

    /// The apps that open links to transactions, as Apple names them, in order.
    /// - Throws: infrastructure errors.
    package func associatedApps() async throws -> [String] {
        try await context.clients.associatedApps(now: context.clock.now())
    }
}
