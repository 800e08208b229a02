internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// RFC 7662.
struct TokenIntrospection: Sendable {
    let context: ServerContext

    func introspect(
        _ token: PresentedToken, for client: RegisteredClient, now: Timestamp
    ) async throws -> IntrospectionResponse {
        if let presented = PresentedRefreshToken(token.reveal()) {
            return try await refreshToken(presented, for: client, now: now)
        }
        let check = AccessTokenCheck(context: context)
        guard let accessToken = try? AccessToken(token.reveal()),
            let claims = try await check.claims(of: accessToken, now: now),
            client.mayIntrospect || claims.clientID == client.id || claims.audience.contains(client.id.rawValue),
            try await check.lives(claims, now: now)
        else { return .inactive }
        return .active(claims, tokenType: claims.tokenType)
    }

    /// Only its own client may ask about a refresh token.
    private func refreshToken(
        _ presented: PresentedRefreshToken, for client: RegisteredClient, now: Timestamp
    ) async throws -> IntrospectionResponse {
        guard let record = try await RefreshTokenLookup(context: context).find(presented, client: client, now: now),
            record.generation == Int64(presented.generation),
            try await context.database.read({ try Sessions.living(record.id, now: now, on: $0) }) != nil
        else { return .inactive }
        let session = record.facts
        var claims = AccessTokenClaims(
            issuer: context.settings.issuer.rawValue, subject: session.accountID.uuid,
            audience: [context.settings.issuer.rawValue], clientID: client.id,
            expiresAt: NumericDate(clamping: session.expiresAt.seconds),
            issuedAt: NumericDate(clamping: record.rotatedAt.seconds),
            id: "\(session.id.uuid).\(record.generation)", scope: try Scope(session.scope))
        try claims.describe(session)
        claims.keyThumbprint = try session.dpopThumbprint.map { try JWKThumbprint(bytes: $0) }
        return .active(claims, tokenType: claims.tokenType)
    }
}
