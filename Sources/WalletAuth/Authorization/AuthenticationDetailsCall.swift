import Foundation
import WalletAuthTransport
import WalletAuthWire

/// Asks the server for the URL of a brand's sign-in page.
struct AuthenticationDetailsCall: Sendable {
    let issuer: Issuer
    let keeper: SessionKeeper
    let exchange: Exchange
    let environment: Wallet.Environment

    /// - Parameters:
    ///   - brandIdentity: the brand whose look the page has.
    ///   - asked: the parameters of the page, and the verifier to keep until the callback; nil if the app keeps it.
    func run(
        _ brandIdentity: String, _ asked: Wallet.AuthenticationDetailsRequest
    ) async throws -> Wallet.AuthenticationDetails {
        let operation = WalletError.Operation.authenticationDetails
        let brand: BrandID
        let request: AuthenticationDetailsRequest
        do { (brand, request) = (try BrandID(brandIdentity), try asked.wire) } catch {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the request is malformed: \(error)")
        }
        guard let url = URL(string: issuer.url(path: Endpoints.authenticationDetails.path(brand))) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the brand cannot be part of a URL")
        }
        let login = PendingLogin(
            state: request.state, verifier: asked.codeVerifier, nonce: request.nonce, redirectURI: request.redirectURI,
            scopes: request.scope?.tokens ?? [], begunAt: keeper.clock.now)
        try await keeper.change { $0.begin(login) }
        // Safe to repeat: a second request only creates a second URL.
        let answer = try await exchange.send(HTTPRequest(url, .json(request.json)), policy: .idempotent)
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        let response = try AuthenticationDetailsResponse(try answer.object())
        guard let page = URL(string: response.authenticationURL.rawValue), environment.allows(page) else {
            throw WalletError(
                .malformedAnswer, .misconfigured, during: operation, reachedServer: true,
                reason: "the page's URL may not be opened in this environment")
        }
        return Wallet.AuthenticationDetails(
            authenticationURL: page, expiresIn: .seconds(max(0, response.expiresIn)))
    }
}
