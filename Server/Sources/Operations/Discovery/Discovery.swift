internal import Core
package import Kernel
package import WalletAuthWire

/// The documents that clients read first: server metadata and the key set. Computed from memory; the edge may cache them. The
/// folder does not own the keys or the clients (`Kernel`).
package struct Discovery: Sendable {
    let clock: any Clock
    let keyRing: KeyRing
    let clients: ClientDirectory
    let settings: ServerSettings

    /// Metadata of the authorization server (RFC 8414) and, with the same members, of the OpenID provider (OpenID Connect
    /// Discovery §3). Names only what this server supports.
    /// - Parameter readsClientDocuments: whether apps at some host need no registration.
    package func metadata(readsClientDocuments: Bool = false) -> ServerMetadata {
        let issuer = settings.issuer
        func url(_ endpoint: Endpoint) -> WebURL? { try? WebURL(issuer.url(path: endpoint.path)) }
        var metadata = ServerMetadata(issuer: issuer)
        metadata.authorizationEndpoint = url(Endpoints.authorize)
        metadata.tokenEndpoint = url(Endpoints.token)
        metadata.pushedRequestEndpoint = url(Endpoints.pushedRequests)
        metadata.keysURL = url(Endpoints.keys)
        metadata.authorizationChallengeEndpoint = url(Endpoints.authorizeChallenge)
        metadata.revocationEndpoint = url(Endpoints.revoke)
        metadata.introspectionEndpoint = url(Endpoints.introspect)
        metadata.deviceAuthorizationEndpoint = url(Endpoints.deviceAuthorization)
        metadata.backchannelAuthenticationEndpoint = url(Endpoints.backchannelAuthentication)
        metadata.backchannelDeliveryModes = BackchannelMode.allCases.map(\.rawValue)
        metadata.userInfoEndpoint = url(Endpoints.userInfo)
        metadata.endSessionEndpoint = url(Endpoints.endSession)
        metadata.scopes = Scope.standard
        metadata.responseTypes = ["code"]
        metadata.responseModes = AuthorizationRequest.ResponseMode.allCases.map(\.rawValue)
        metadata.grantTypes = GrantType.allCases.map(\.rawValue)
        metadata.codeChallengeMethods = [CodeChallenge.method]
        let methods = WalletAuthWire.ClientAuthenticationMethod.allCases
        metadata.clientAuthenticationMethods = methods.map(\.rawValue)
        // An attested app ends its sessions as any public client does.
        metadata.revocationAuthenticationMethods = methods.filter { $0 != .attestation }.map(\.rawValue)
        metadata.introspectionAuthenticationMethods =
            methods.filter { $0 != .none && $0 != .attestation }.map(\.rawValue)
        metadata.clientAssertionAlgorithms = SigningAlgorithm.allCases.flatMap(\.names)
        metadata.clientAttestationAlgorithms = metadata.clientAssertionAlgorithms
        metadata.dpopAlgorithms = DPoPProof.algorithmNames
        metadata.requestObjectAlgorithms = RegisteredClient.requestAlgorithms.flatMap(\.names)
        metadata.subjectTypes = ["public"]
        metadata.idTokenAlgorithms = [
            SigningAlgorithm.rs256.rawValue, SigningAlgorithm.es256.rawValue, SigningAlgorithm.edDSA.rawValue,
        ]
        metadata.introspectionSigningAlgorithms = metadata.idTokenAlgorithms
        metadata.authorizationAlgorithms = metadata.idTokenAlgorithms
        metadata.acrValues = [AuthenticationStrength.singleFactor, AuthenticationStrength.twoFactors]
        metadata.authorizationDetailsTypes = AuthorizationDetail.types
        metadata.claims = [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "acr", "amr", "sid", "at_hash",
            "name", "given_name", "family_name", "preferred_username", "birthdate", "locale", "email",
            "email_verified", "phone_number", "phone_number_verified", "address",
        ]
        metadata.takesClaims = true
        metadata.displayValues = ServerMetadata.displays
        metadata.promptValues = ["none", "login", "consent", "select_account"]
        metadata.uiLocales = ["en", "de", "fr", "es", "bg"]
        metadata.namesIssuerInResponses = true
        metadata.announcesLogouts = true
        metadata.keepsRefreshAttempts = true
        metadata.readsClientDocuments = readsClientDocuments
        return metadata
    }

    /// The published signing keys: active ones, successors that will sign soon, and retired ones whose tokens have not expired.
    /// - Returns: the set, and for how many seconds it may be cached.
    package func keySet() async throws -> (set: JWKSet, maximumAge: Int64) {
        try await keyRing.refreshIfStale(now: clock.now())
        return (keyRing.publishedKeys(), settings.signingKeys.keySetMaximumAge.wholeSeconds)
    }

    /// The apps of all clients that open links to transactions and use passkeys, and the websites that use passkeys.
    package func associatedApps() async throws -> LinkedApps { try await clients.linkedApps(now: clock.now()) }
}
