import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Asks the server for the URL of a brand's sign-in page.
struct AuthenticationDetailsCall: Sendable {
    let issuer: Issuer
    let keeper: SessionKeeper
    let exchange: Exchange
    let security: ConnectionSecurity

    /// - Parameters:
    ///   - brand: the brand whose look the page has.
    ///   - request: the parameters of the page.
    ///   - verifier: the verifier to keep until the callback; nil if the app keeps it.
    /// - Returns: the page to open, and how long its URL is valid.
    func page(
        of brand: BrandID, request: AuthenticationDetailsRequest, verifier: CodeVerifier?
    ) async throws -> (url: URL, expiresIn: Duration) {
        let operation = WalletError.Operation.authenticationDetails
        guard let url = URL(string: issuer.url(path: Endpoints.authenticationDetails.path(brand))) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the brand cannot be part of a URL")
        }
        let login = PendingLogin(
            state: request.state, verifier: verifier, nonce: request.nonce, redirectURI: request.redirectURI,
            scopes: request.scope?.tokens ?? [], begunAt: keeper.clock.now)
        try await keeper.change { $0.begin(login) }
        // Safe to repeat: a second request only creates a second URL.
        let answer = try await exchange.send(
            Exchange.Call(HTTPRequest(url, .json(request.json)), policy: .idempotent))
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        let response = try AuthenticationDetailsResponse(try answer.object())
        guard let page = URL(string: response.authenticationURL.rawValue), security.allows(page) else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                reason: "the page's URL may not be opened in this environment")
        }
        return (page, .seconds(max(0, response.expiresIn)))
    }
}
