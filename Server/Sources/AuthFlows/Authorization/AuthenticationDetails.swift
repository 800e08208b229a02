internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Makes the URL at which a brand's sign-in begins. Everything in it is checked again when it is opened, since anybody
/// can write such a URL.
struct AuthenticationDetails: Sendable {
    let context: ServerContext

    /// For how many seconds the URL begins a sign-in. Afterwards the app asks for another.
    private static let lifetime: Int64 = 600

    func details(
        _ request: AuthenticationDetailsRequest, brand: BrandID, now: Timestamp
    ) async throws -> AuthenticationDetailsOutcome {
        guard try await context.database.read({ try Brands.find(brand.rawValue, on: $0) }) != nil else {
            return .unknownBrand
        }
        guard let client = try await context.clients.find(request.clientID, now: now),
            client.brand == nil || client.brand == brand
        else { return .unknownClient }
        guard AuthorizationCheck.allows(request.redirectURI, client) else {
            return .unregisteredURL(field: "redirectUri")
        }
        guard client.allows(resetCredentialsURL: request.resetCredentialsURL) else {
            return .unregisteredURL(field: "resetCredentialsUrl")
        }
        if request.loginStrategy == .pin,
            try await !context.database.read({ try Brands.takesAccountPINs(brand.rawValue, on: $0) })
        {
            return .strategyUnavailable
        }
        let scope = request.scope ?? client.scope
        guard scope.isSubset(of: client.scope) else { return .invalidScope }
        var authorization = AuthorizationRequest(
            clientID: client.id, redirectURI: request.redirectURI, codeChallenge: request.codeChallenge, scope: scope,
            state: request.state)
        authorization.nonce = request.nonce
        authorization.brand = brand
        authorization.loginHint = request.loginHint
        authorization.loginStrategy = request.loginStrategy
        authorization.resetCredentialsURL = request.resetCredentialsURL
        // Not sealed: who changes it has an ordinary request, which anybody can write.
        authorization.expiresAt = NumericDate(clamping: now.seconds + Self.lifetime)
        authorization.uiLocales = [request.locale].compactMap { $0 }
        let url = context.settings.issuer.url(path: Endpoints.authorize.path) + "?" + authorization.form.encoded
        return .details(AuthenticationDetailsResponse(authenticationURL: try WebURL(url), expiresIn: Self.lifetime))
    }
}
