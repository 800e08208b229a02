internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// Ends a session by one of its tokens (RFC 7009).
package struct TokenRevocation: Sendable {
    let clock: any Clock
    let clients: ClientAuthenticator
    let proofs: ProofOfPossession
    let accessTokens: AccessTokenCheck
    let refreshTokens: RefreshTokenLookup
    let database: any Database
    let auditLog: AuditLog

    /// The revocation endpoint. Revoking either token ends the session. It also succeeds if no token is left to revoke, because it is
    /// unknown or expired (§2.2), but never for an access token that it recognizes and cannot revoke for this client (§2.1).
    package func revoke(
        _ request: TokenStateRequest, proof: PresentedProof, origin: RequestOrigin
    ) async throws -> Result<Void, OAuthRefusal> {
        let (token, now) = (request.token, clock.now())
        let client: RegisteredClient
        switch try await clients.authenticate(request.client, at: Endpoints.revoke, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let authenticated): client = authenticated
        }
        let session: NewSession?
        if let presented = PresentedRefreshToken(token.reveal()) {
            session = try await self.session(of: presented, client: client, now: now)
        } else {
            switch try await self.session(ofAccessToken: token, client: client, proof: proof, now: now) {
            case .success(let found): session = found
            case .failure(let refusal): return .failure(refusal)
            }
        }
        if let session { try await end(session, origin: origin, now: now) }
        return .success(())
    }

    private func end(_ session: NewSession, origin: RequestOrigin, now: Timestamp) async throws {
        try await database.write { connection in
            guard try Sessions.end(session.id, because: .signedOut, now: now, on: connection) else { return }
            var details = JSONObject.naming(session: session.id)
            if try Sessions.hasSuccessor(of: session, now: now, on: connection) {
                details[ActivityDetailText.replaced] = .bool(true)
            }
            try auditLog.entry(
                AccountSessionEvent.signedOut, account: session.accountID, client: session.clientID, origin: origin,
                now: now,
                details: details
            ).telling(client: session.signedInTo).write(on: connection)
        }
    }

    /// The session of the current refresh token, or of its predecessor from an app whose last response was lost. An older one only
    /// proves that someone once had it.
    private func session(
        of presented: PresentedRefreshToken, client: RegisteredClient, now: Timestamp
    ) async throws -> NewSession? {
        let found = try await refreshTokens.find(presented, client: client, now: now)
        guard let found, Int64(presented.generation) + 1 >= found.generation,
            Int64(presented.generation) <= found.generation
        else { return nil }
        return found.facts
    }

    /// The session of an access token, which travels to every resource server: none of them may sign the holder out. A confidential
    /// client has authenticated. A public one has not, and proves the key of a bound token.
    ///
    /// What is refused depends on the token alone, so that a stolen one does not tell whether its session has ended.
    /// - Returns: `nil` if the token is no valid one, or if its session is forgotten.
    private func session(
        ofAccessToken token: PresentedToken, client: RegisteredClient, proof: PresentedProof, now: Timestamp
    ) async throws -> Result<NewSession?, OAuthRefusal> {
        guard let accessToken = try? AccessToken(token.reveal()),
            let claims = try await accessTokens.claims(of: accessToken, now: now)
        else { return .success(nil) }
        guard claims.clientID == client.id else {
            return .failure(
                .unsupportedTokenType("The access token was issued to another client. Only that client can revoke it."))
        }
        // Its session is the person's at another client, and a service that acts for them must not sign them out.
        guard claims.actors.isEmpty else {
            return .failure(
                .unsupportedTokenType("An exchanged access token cannot be revoked. It ends with its session, or soon.")
            )
        }
        guard let id = claims.sessionID.flatMap({ UniqueID(bytes: $0.bytes) }) else {
            return .failure(
                .unsupportedTokenType("A client's own access token cannot be revoked. It expires within minutes."))
        }
        if client.kind == .public, let key = claims.keyThumbprint,
            let refusal = try await refusal(of: proof, boundTo: key, now: now)
        {
            return .failure(refusal)
        }
        return .success(try await database.read { try Sessions.find(id, on: $0)?.facts })
    }

    private func refusal(
        of proof: PresentedProof, boundTo key: JWKThumbprint, now: Timestamp
    ) async throws -> OAuthRefusal? {
        switch proofs.check(proof, now: now) {
        case .failure(let refusal): return refusal
        case .success(nil):
            return .unsupportedTokenType(
                "The access token is bound to a key. Send a DPoP proof of that key, or revoke the refresh token.")
        case .success(let checked?):
            guard checked.thumbprint == key else {
                return .invalidDPoPProof("The access token is bound to another key.")
            }
            return try await proofs.use(checked, now: now)
        }
    }
}

struct RefreshTokenLookup: Sendable {
    let keyRing: KeyRing
    let database: any Database

    /// Finds the session if the token is genuine and belongs to this client, with one point read.
    func find(
        _ presented: PresentedRefreshToken, client: RegisteredClient, now: Timestamp
    ) async throws -> SessionRecord? {
        guard let key = try await keyRing.findKey(.refresh, presented.keyID, now: now),
            let id = UniqueID(bytes: presented.session.bytes),
            let record = try await database.read({ try Sessions.find(id, on: $0) }),
            record.facts.clientID == client.id.rawValue, record.facts.macKeyID == Int64(presented.keyID.value),
            presented.isGenuine(
                under: key, client: client.id, account: record.facts.accountID.bytes, rowSecret: record.facts.secret)
        else { return nil }
        return record
    }
}
