package import Core
internal import Store
package import WalletAuthWire

/// Verifies the server's own access tokens.
package struct AccessTokenCheck: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// The claims of an unexpired token that this server signed. Its session may have ended.
    package func claims(of token: AccessToken, now: Timestamp) async throws -> AccessTokenClaims? {
        let digest = VerifiedTokens.digest(of: token)
        if let known = context.verifiedTokens.find(digest) {
            // The key may have been removed since, and the token may have expired.
            guard context.keyRing.signingKey(known.keyID) != nil, isCurrent(known.claims, now: now) else { return nil }
            return known.claims
        }
        guard let jws = try? CompactJWS(token.reveal()), let id = jws.header.keyID else { return nil }
        if context.keyRing.signingKey(id) == nil { try await context.keyRing.refreshIfStale(now: now) }
        guard let key = context.keyRing.signingKey(id), key.algorithm == .es256 else { return nil }
        let rules = JWTRules(issuer: context.settings.issuer.rawValue, leeway: Self.leeway)
        guard
            let claims = try? AccessTokenClaims.verified(
                token, by: [key.verifier], rules: rules, now: NumericDate(clamping: now.seconds))
        else { return nil }
        context.verifiedTokens.remember(VerifiedTokens.Entry(claims: claims, keyID: id), digest)
        return claims
    }

    /// Tokens are short-lived and issued by the same clock, so the leeway only covers the difference between two processes.
    private static let leeway = Duration.seconds(1)

    /// The time-dependent checks, the same as in the first verification.
    private func isCurrent(_ claims: AccessTokenClaims, now: Timestamp) -> Bool {
        let now = NumericDate(clamping: now.seconds)
        return now < claims.expiresAt.advanced(by: Self.leeway) && claims.issuedAt <= now.advanced(by: Self.leeway)
    }

    /// Whether the token's client is still registered and its session still active. A client's own token has no session.
    package func lives(_ claims: AccessTokenClaims, now: Timestamp) async throws -> Bool {
        guard try await context.clients.find(claims.clientID, now: now) != nil else { return false }
        guard let sessionID = claims.sessionID else { return true }
        guard let session = UniqueID(bytes: sessionID.bytes) else { return false }
        return try await context.database.read { try Sessions.living(session, now: now, on: $0) != nil }
    }
}
