internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Checks the server's own access tokens.
struct AccessTokenCheck: Sendable {
    let context: ServerContext

    /// The claims of a token that this server signed and that has not expired; its session may have ended.
    func claims(of token: AccessToken, now: Timestamp) async throws -> AccessTokenClaims? {
        guard let jws = try? CompactJWS(token.reveal()), let id = jws.header.keyID else { return nil }
        if context.keyRing.signingKey(id) == nil { try await context.keyRing.refreshIfStale(now: now) }
        guard let key = context.keyRing.signingKey(id), key.algorithm == .es256 else { return nil }
        // Short-lived and made by the same clock: no leeway beyond what two processes may differ by.
        let rules = JWTRules(issuer: context.settings.issuer.rawValue, leeway: .seconds(1))
        return try? AccessTokenClaims.verified(
            token, by: [key.verifier], rules: rules, now: NumericDate(clamping: now.seconds))
    }

    /// Whether what a token stands on still lives: its client, and its session where it has one; a client's own token
    /// has none.
    func lives(_ claims: AccessTokenClaims, now: Timestamp) async throws -> Bool {
        guard try await context.clients.find(claims.clientID, now: now) != nil else { return false }
        guard let sessionID = claims.sessionID else { return true }
        guard let session = UniqueID(bytes: sessionID.bytes) else { return false }
        return try await context.database.read { try Sessions.living(session, now: now, on: $0) != nil }
    }
}
