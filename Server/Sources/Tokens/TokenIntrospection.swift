internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The introspection endpoint (RFC 7662), with answers as JSON or as a JWT (RFC 9701).
package struct TokenIntrospection: Sendable {
    let clock: any Clock
    let clients: ClientAuthenticator
    let accessTokens: AccessTokenCheck
    let refreshTokens: RefreshTokenLookup
    let database: any Database
    let issuer: Issuer
    let attestations: AttestationClaim
    let keyRing: KeyRing
    let vault: SessionVault

    /// A client may ask about its own tokens, a resource server about all.
    package func introspect(_ request: TokenStateRequest) async throws -> Result<IntrospectionResponse, OAuthRefusal> {
        try await answer(request, now: clock.now()).map { $0.response }
    }

    /// The same as a JWT for the caller alone, signed with the algorithm of its ID tokens.
    ///
    /// It has no `sub` and no `exp`, so that it passes for no other kind of token (RFC 9701 §5, §8.1).
    package func signedIntrospection(_ request: TokenStateRequest) async throws -> Result<String, OAuthRefusal> {
        let now = clock.now()
        switch try await answer(request, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let (client, response)):
            var claims = JSONObject()
            claims.set("iss", issuer)
            claims.set("aud", client.id)
            claims.set("iat", now.seconds)
            claims["token_introspection"] = .object(response.json)
            return .success(
                try keyRing.signer(client.idTokenAlgorithm).message(claims.bytes, type: .tokenIntrospection))
        }
    }

    private func answer(
        _ request: TokenStateRequest, now: Timestamp
    ) async throws -> Result<(client: RegisteredClient, response: IntrospectionResponse), OAuthRefusal> {
        switch try await clients.authenticate(request.client, at: Endpoints.introspect, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let client):
            // For unauthenticated callers, the endpoint would be an oracle for stolen tokens (RFC 7662 §2.1).
            guard client.kind == .confidential else { return .failure(.invalidClient(.publicClient)) }
            var response = try await response(about: request.token, for: client, now: now)
            if case .active(let claims, let type, _) = response, client.settings.firstParty {
                response = .active(claims, tokenType: type, username: try await username(in: claims))
            }
            return .success((client, response))
        }
    }

    /// The person's user name as typed, which userinfo calls `preferred_username`; `nil` for a client's own token.
    private func username(in claims: AccessTokenClaims) async throws -> String? {
        guard claims.sessionID != nil, let account = UniqueID(uuid: claims.subject) else { return nil }
        return try await database.read { try Accounts.names(of: account, on: $0) }.first
    }

    private func response(
        about token: PresentedToken, for client: RegisteredClient, now: Timestamp
    ) async throws -> IntrospectionResponse {
        if let presented = PresentedRefreshToken(token.reveal()) {
            return try await refreshToken(presented, for: client, now: now)
        }
        guard let accessToken = try? AccessToken(token.reveal()),
            let claims = try await accessTokens.claims(of: accessToken, now: now),
            client.mayIntrospect || claims.clientID == client.id || claims.audience.contains(client.id.rawValue),
            try await accessTokens.lives(claims, now: now)
        else { return .inactive }
        return .active(claims, tokenType: claims.tokenType)
    }

    /// Only its own client may ask about a refresh token.
    private func refreshToken(
        _ presented: PresentedRefreshToken, for client: RegisteredClient, now: Timestamp
    ) async throws -> IntrospectionResponse {
        guard let record = try await refreshTokens.find(presented, client: client, now: now),
            record.generation == Int64(presented.generation),
            try await database.read({ try Sessions.living(record.id, now: now, on: $0) }) != nil
        else { return .inactive }
        let session = record.facts
        var claims = AccessTokenClaims(
            issuer: issuer.rawValue, subject: session.accountID.uuid,
            audience: [issuer.rawValue], clientID: client.id,
            expiresAt: NumericDate(clamping: session.expiresAt.seconds),
            issuedAt: NumericDate(clamping: record.rotatedAt.seconds),
            id: "\(session.id.uuid).\(record.generation)", scope: try Scope(session.scope))
        let app = try await attestations.attestation(of: session, for: client)
        try claims.describe(session, granting: vault.authorizationDetails(of: session), on: app)
        claims.keyThumbprint = try session.dpopThumbprint.map { try JWKThumbprint(bytes: $0) }
        return .active(claims, tokenType: claims.tokenType)
    }
}
