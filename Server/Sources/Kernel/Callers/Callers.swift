package import Core
package import Logging
package import Store
package import WalletAuthWire

/// Authenticates the callers of this server's protected resources. The edge calls it and passes the caller to the flow.
///
/// This folder owns the check of an app, a backend or a client: access token, DPoP proof, client authentication.
///
/// A class, because every route has it.
package final class Callers: Sendable {
    package let database: any Database
    package let issuer: Issuer
    package let clients: ClientDirectory
    package let accessTokens: AccessTokenCheck
    package let proofs: ProofOfPossession
    package let clock: any Clock
    package let logger: Logger

    package init(
        database: any Database, issuer: Issuer, clients: ClientDirectory, accessTokens: AccessTokenCheck,
        proofs: ProofOfPossession, clock: any Clock, logger: Logger
    ) {
        self.database = database
        self.issuer = issuer
        self.clients = clients
        self.accessTokens = accessTokens
        self.proofs = proofs
        self.clock = clock
        self.logger = logger
    }

    /// Authenticates a backend's call: a client credentials token (RFC 6749 §4.4) with the required scope, and a proof of its key if the
    /// token is bound to one.
    /// - Parameter scope: required of the token, and of the client as currently registered.
    /// - Throws: `OAuthRefusal` for an invalid token, proof, client or scope.
    package func backend(_ presented: PresentedCredentials, scope: String) async throws -> BackendCaller {
        let now = clock.now()
        guard let authorization = presented.authorization else { throw OAuthRefusal.invalidToken }
        // A person's token names a session. It must not give a backend's rights, even with the same scope.
        let claims = try await accessTokens.claimsForThisServer(of: authorization.token, now: now)
        guard claims.sessionID == nil, claims.subject == claims.clientID.rawValue else {
            throw OAuthRefusal.unusableToken(.ofPerson)
        }
        _ = try await accessTokens.possession(of: authorization, claims, proof: presented.proof, now: now).get()
        guard let client = try await clients.find(claims.clientID, now: now), client.kind == .confidential
        else { throw OAuthRefusal.unusableToken(.ended) }
        guard claims.scope.contains(scope), client.scope.contains(scope) else {
            throw OAuthRefusal.insufficientScope(scope)
        }
        return BackendCaller(client: client, origin: presented.origin, now: now)
    }
}

/// The credentials of a call to one of this server's protected resources, as the edge read them.
package struct PresentedCredentials: Sendable {
    /// `nil` if none was sent.
    package var authorization: PresentedAccessToken?
    package var proof: PresentedProof
    package var origin: RequestOrigin

    package init(authorization: PresentedAccessToken?, proof: PresentedProof, origin: RequestOrigin) {
        self.authorization = authorization
        self.proof = proof
        self.origin = origin
    }
}

/// A confidential client that calls for itself.
package struct BackendCaller: Sendable {
    package let client: RegisteredClient
    package let origin: RequestOrigin
    package let now: Timestamp

    /// - Parameter client: authenticated, by a token or at an endpoint of OAuth.
    package init(client: RegisteredClient, origin: RequestOrigin, now: Timestamp) {
        self.client = client
        self.origin = origin
        self.now = now
    }
}
