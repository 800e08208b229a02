internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// The introspection endpoint (RFC 7662).
package struct TokenIntrospection: Sendable {
    let clock: any Clock
    let clients: ClientAuthenticator
    let accessTokens: AccessTokenCheck
    let refreshTokens: RefreshTokenLookup
    let database: any Database
    let issuer: Issuer
    let attestations: AttestationClaim

    /// A client may ask about its own tokens, a resource server about all.
    package func introspect(_ request: TokenStateRequest) async throws -> Result<IntrospectionResponse, OAuthRefusal> {
        let now = clock.now()
        switch try await clients.authenticate(request.client, at: Endpoints.introspect, now: now) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let client):
            // For unauthenticated callers, the endpoint would be an oracle for stolen tokens (RFC 7662 §2.1).
            guard client.kind == .confidential else { return .failure(.invalidClient(.publicClient)) }
            return .success(try await response(about: request.token, for: client, now: now))
        }
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
        try claims.describe(session, on: app)
        claims.keyThumbprint = try session.dpopThumbprint.map { try JWKThumbprint(bytes: $0) }
        return .active(claims, tokenType: claims.tokenType)
    }
}
