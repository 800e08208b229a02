import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Asks the server for the URL of a brand's sign-in page.
struct AuthenticationDetailsCall: Sendable {
    let issuer: Issuer
    let keeper: SessionKeeper
    let server: ServerConnection
    let environment: Wallet.Environment

    func details(
        brandIdentity: String, request: Wallet.AuthenticationDetailsRequest
    ) async throws -> Wallet.AuthenticationDetails {
        let operation = WalletError.Operation.authenticationDetails
        let wire: AuthenticationDetailsRequest
        let brand: BrandID
        do {
            brand = try BrandID(brandIdentity)
            wire = try request.wire
        } catch {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the request is malformed: \(error)")
        }
        guard let url = URL(string: issuer.url(path: Endpoints.authenticationDetails.path(brand))) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the brand cannot be part of a URL")
        }
        let login = PendingLogin(
            state: wire.state, verifier: request.codeVerifier, nonce: wire.nonce, redirectURI: wire.redirectURI,
            scopes: wire.scope?.tokens ?? [], begunAt: keeper.clock.now)
        try await keeper.change { $0.begin(login) }
        // Safe to repeat: a second request only creates a second URL.
        let answer = try await server.send(
            ServerConnection.Call(url: url, body: .json(wire.json), policy: .idempotent))
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        let response = try AuthenticationDetailsResponse(try answer.object())
        guard let page = URL(string: response.authenticationURL.rawValue), environment.allows(page) else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                reason: "the page's URL may not be opened in this environment")
        }
        return Wallet.AuthenticationDetails(authenticationURL: page, expiresIn: .seconds(max(0, response.expiresIn)))
    }
}

extension Wallet.AuthenticationDetailsRequest {
    fileprivate var wire: AuthenticationDetailsRequest {
        get throws {
            var wire = AuthenticationDetailsRequest(
                clientID: try ClientID(clientIdentifier), codeChallenge: try CodeChallenge(codeChallenge),
                resetCredentialsURL: try WebURL(resetCredentialsURL), state: try OAuthState(state),
                redirectURI: try RedirectURI(redirectURI))
            if let codeVerifier, !wire.codeChallenge.verify(codeVerifier) {
                throw MalformedValue(field: "codeVerifier", reason: "does not match the challenge")
            }
            wire.locale = try locale.map { try LocaleTag($0) }
            wire.loginHint = loginHint
            wire.loginStrategy = loginStrategy.map { $0 == .pin ? .pin : .password }
            return wire
        }
    }
}
