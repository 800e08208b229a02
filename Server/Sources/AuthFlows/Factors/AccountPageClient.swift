internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// In whose name a sign-in on the account's page passes the gate: the server's own, registered nowhere.
///
/// The gate answers with a code as it does for an app, under a challenge that has no verifier. It goes nowhere: the browser
/// is given its session and the page, and nobody a token.
enum AccountPageClient {
    /// As the audit log names it.
    static let id = "account-security"

    static func make(now: Timestamp) throws -> RegisteredClient {
        var settings = ClientSettings()
        settings.firstParty = true
        return try RegisteredClient(
            ClientRecord(
                id: id, brandID: nil, name: "", kind: .public, authenticationMethod: .none, secretHash: nil, jwks: nil,
                redirectURIs: "[]", scopes: "", settings: settings.json(), createdAt: now, updatedAt: now))
    }

    /// The request for the page, as the pages of a sign-in carry it.
    static func request(_ asked: AccountPageRequest, in context: ServerContext) throws -> AuthorizationRequest {
        var request = AuthorizationRequest(
            clientID: try ClientID(id),
            redirectURI: try RedirectURI(context.settings.issuer.url(path: Endpoints.accountSecurity.path)),
            codeChallenge: try CodeChallenge(Base64URL.encode(context.random.bytes(32))))
        request.brand = asked.brand
        request.uiLocales = asked.locales
        request.loginStrategy = asked.loginStrategy
        return request
    }
}
