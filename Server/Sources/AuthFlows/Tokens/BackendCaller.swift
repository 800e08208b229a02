package import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// A confidential client that calls in its own name, its token checked.
package struct BackendCaller: Sendable {
    package let client: RegisteredClient
    package let origin: RequestOrigin
    package let now: Timestamp
}

extension Callers {
    /// Lets a backend's call in: with an access token by client credentials (RFC 6749 §4.4) that has the scope of what it
    /// calls, and with a proof of its key where the token is bound to one.
    /// - Parameters:
    ///   - presented: as the edge read it.
    ///   - scope: what the token, and the client as it is registered at this moment, must have.
    /// - Throws: `OAuthRefusal` where token, proof, client or scope are not all as they must be; infrastructure errors.
    package func backend(_ presented: PresentedCredentials, scope: String) async throws -> BackendCaller {
        let now = context.clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        // A person's token names a session; what a person may do is no backend's, whatever scope the token has.
        guard let claims = try await AccessTokenCheck(context: context).claims(of: authorization.token, now: now),
            claims.sessionID == nil, claims.subject == claims.clientID.rawValue,
            claims.audience.contains(context.settings.issuer.rawValue)
        else { throw OAuthRefusal.invalidToken }
        _ = try TokenPossession(context: context).check(authorization, claims, proof: presented.proof, now: now).get()
        guard let client = try await context.clients.find(claims.clientID, now: now), client.kind == .confidential
        else { throw OAuthRefusal.invalidToken }
        guard claims.scope.contains(scope), client.scope.contains(scope) else {
            throw OAuthRefusal.insufficientScope(scope)
        }
        return BackendCaller(client: client, origin: presented.origin, now: now)
    }
}
