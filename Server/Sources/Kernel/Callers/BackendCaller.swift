package import Core
internal import WalletAuthWire

/// A confidential client that calls for itself, with a verified token.
package struct BackendCaller: Sendable {
    package let client: RegisteredClient
    package let origin: RequestOrigin
    package let now: Timestamp
}

extension Callers {
    /// Authenticates a backend's call: a client credentials token (RFC 6749 §4.4) with the required scope, and a proof of its key if the
    /// token is bound to one.
    /// - Parameter scope: required of the token, and of the client as currently registered.
    /// - Throws: `OAuthRefusal` for an invalid token, proof, client or scope.
    package func backend(_ presented: PresentedCredentials, scope: String) async throws -> BackendCaller {
        let now = context.clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        // A person's token names a session. It must not give a backend's rights, even with the same scope.
        guard let claims = try await AccessTokenCheck(context: context).claims(of: authorization.token, now: now),
            claims.sessionID == nil, claims.subject == claims.clientID.rawValue,
            claims.audience.contains(context.settings.issuer.rawValue)
        else { throw OAuthRefusal.invalidToken }
        _ = try await TokenPossession(context: context)
            .check(authorization, claims, proof: presented.proof, now: now).get()
        guard let client = try await context.clients.find(claims.clientID, now: now), client.kind == .confidential
        else { throw OAuthRefusal.invalidToken }
        guard claims.scope.contains(scope), client.scope.contains(scope) else {
            throw OAuthRefusal.insufficientScope(scope)
        }
        return BackendCaller(client: client, origin: presented.origin, now: now)
    }
}
