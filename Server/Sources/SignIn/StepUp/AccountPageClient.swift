internal import Core
internal import Kernel
internal import WalletAuthWire

/// The client for sign-ins on the account's page: the server's own, registered nowhere.
///
/// It never gets a code: the gate's admission opens the browser's session and the page.
enum AccountPageClient {
    /// Its name in the audit log.
    static let id = "account-security"

    static func make(now: Timestamp) throws -> RegisteredClient {
        var settings = ClientSettings()
        settings.firstParty = true
        return try RegisteredClient(
            ClientRecord(
                id: id, brandID: nil, name: "", kind: .public, authenticationMethod: .none, secretHash: nil, jwks: nil,
                redirectURIs: "[]", scopes: "", settings: settings.json(), createdAt: now, updatedAt: now))
    }

    /// The authorization request for the page, in the form that sign-in pages carry.
    static func request(
        _ asked: AccountPageRequest, at issuer: Issuer, random: any RandomBytes
    ) throws -> AuthorizationRequest {
        var request = AuthorizationRequest(
            clientID: try ClientID(id),
            redirectURI: try RedirectURI(issuer.url(path: Endpoints.accountPage.path)),
            codeChallenge: try CodeChallenge(Base64URL.encode(random.bytes(32))))
        request.brand = asked.brand
        request.uiLocales = asked.locales
        request.loginStrategy = asked.loginStrategy
        return request
    }

    /// The address that asks for the page.
    static func location(of request: AuthorizationRequest, at issuer: Issuer) -> String {
        var query = FormParameters()
        query.append("brand", request.brand)
        query.append(
            "ui_locales",
            request.uiLocales.isEmpty ? nil : request.uiLocales.map(\.rawValue).joined(separator: " "))
        query.append("login_strategy", request.loginStrategy?.rawValue)
        let page = issuer.url(path: Endpoints.accountPage.path)
        return query.parameters.isEmpty ? page : page + "?" + query.encoded
    }
}
