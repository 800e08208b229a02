import Foundation
import WalletAuthWire

/// Asks the token endpoint, and says what its answers mean.
struct TokenEndpoint: Sendable {
    /// What came of a refresh request that the server answered.
    enum RefreshAnswer: Sendable {
        case granted(TokenResponse, at: Instant)
        /// `invalid_grant`: the refresh token is of no use any more. No other answer says so.
        case refused
    }

    let clientID: ClientID
    let server: ServerConnection
    let discovery: ServerDiscovery

    /// Redeems a code. It is sent once: again only when it certainly was not sent, or when the server wants its nonce in
    /// the proof, which it looks at before the code (RFC 9449 §8).
    /// - Throws: ``WalletError``; `TransportFailure` when there is no answer.
    func redeem(
        _ code: AuthorizationCode, verifier: CodeVerifier, redirectURI: RedirectURI?, key: BoundKey?,
        during operation: WalletError.Operation
    ) async throws -> (TokenResponse, at: Instant) {
        let request = TokenRequest(
            client: .none(clientID),
            grant: .authorizationCode(code, redirectURI: redirectURI, verifier: verifier))
        let answer = try await server.send(
            ServerConnection.Call(
                url: try await discovery.metadata().tokenURL, body: .form(request.form), proof: key, policy: .untilSent)
        )
        guard answer.isSuccess else { throw answer.failure(during: operation) }
        return (try TokenResponse(try answer.object()), at: answer.receivedAt)
    }

    /// Renews. The attempt makes it repeatable: a server of ours answers the same successor however often it is asked.
    func refresh(_ token: RefreshToken, attempt: RefreshAttempt, key: BoundKey?) async throws -> RefreshAnswer {
        let request = TokenRequest(client: .none(clientID), grant: .refreshToken(token, attempt: attempt))
        let answer = try await server.send(
            ServerConnection.Call(
                url: try await discovery.metadata().tokenURL, body: .form(request.form), proof: key,
                policy: .idempotent))
        if answer.isSuccess { return .granted(try TokenResponse(try answer.object()), at: answer.receivedAt) }
        if answer.oauthError?.code == .invalidGrant { return .refused }
        throw answer.failure(during: .refresh)
    }

    /// Ends a token at the server (RFC 7009).
    /// - Returns: whether the server has answered, so that it need not be asked again.
    func revoke(_ revocation: SessionRecord.QueuedRevocation, policy: RetryPolicy) async throws -> Bool {
        guard let url = try await discovery.metadata().revocationURL else { return true }
        let request = RevocationRequest(
            client: .none(clientID), token: revocation.token,
            hint: revocation.kind == .refreshToken ? .refreshToken : .accessToken)
        let answer = try await server.send(
            ServerConnection.Call(url: url, body: .form(request.form), policy: policy, timeout: .seconds(5)))
        return !answer.isTemporaryFailure
    }
}
