internal import Core
internal import Kernel
internal import Store
package import WalletAuthWire

/// Builds the URL at which a brand's sign-in begins, with the brand's look and the given hints. The request it contains is checked again when the URL is opened, because
/// anyone can write such a URL.
package struct AuthenticationDetails: Sendable {
    let clock: any Clock
    let database: any Database
    let clients: ClientDirectory
    let issuer: Issuer

    /// Seconds in which the URL begins a sign-in. Afterwards the app needs a new one.
    private static let lifetime: Int64 = 600

    package func of(
        _ request: AuthenticationDetailsRequest, brand: BrandID
    ) async throws -> AuthenticationDetailsOutcome {
        let now = clock.now()
        guard try await database.read({ try Brands.find(brand.rawValue, on: $0) }) != nil else {
            return .unknownBrand
        }
        guard let client = try await clients.find(request.clientID, now: now),
            client.brand == nil || client.brand == brand
        else { return .unknownClient }
        // Anyone may ask here, so this server does not push in the client's place.
        guard !client.requiresPushedRequests, !client.requiresSignedRequests else { return .unauthorizedClient }
        guard AuthorizationCheck.allows(request.redirectURI, client) else {
            return .unregisteredURL(field: "redirectUri")
        }
        guard client.allows(resetCredentialsURL: request.resetCredentialsURL) else {
            return .unregisteredURL(field: "resetCredentialsUrl")
        }
        if let strategy = request.loginStrategy,
            try await !database.read({ try strategy.isTaken(by: brand, on: $0) })
        {
            return .strategyUnavailable
        }
        let scope = request.scope ?? client.scope
        guard scope.isSubset(of: client.scope) else {
            return .invalidScope(scope.tokens.filter { !client.scope.contains($0) })
        }
        var authorization = AuthorizationRequest(
            clientID: client.id, redirectURI: request.redirectURI, codeChallenge: request.codeChallenge, scope: scope,
            state: request.state)
        authorization.nonce = request.nonce
        authorization.brand = brand
        authorization.loginHint = request.loginHint
        authorization.loginStrategy = request.loginStrategy
        authorization.resetCredentialsURL = request.resetCredentialsURL
        // Not sealed: a changed URL is only an ordinary request, which anyone can write.
        authorization.expiresAt = NumericDate(clamping: now.seconds + Self.lifetime)
        authorization.uiLocales = [request.locale].compactMap { $0 }
        let url = issuer.url(path: Endpoints.authorize.path) + "?" + authorization.form.encoded
        return .details(AuthenticationDetailsResponse(authenticationURL: try WebURL(url), expiresIn: Self.lifetime))
    }
}
