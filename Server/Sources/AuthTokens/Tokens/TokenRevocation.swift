internal import AuthCallers
internal import AuthCore
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Ends a session by one of its tokens (RFC 7009).
struct TokenRevocation: Sendable {
    let context: ServerContext

    func revoke(
        _ token: PresentedToken, client: RegisteredClient, origin: RequestOrigin, now: Timestamp
    ) async throws {
        guard let session = try await session(of: token, client: client, now: now) else { return }
        let entry = try AuditLog(context: context).entry(
            SessionEvent.signedOut, account: session.accountID, client: session.clientID, origin: origin, now: now)
        try await context.database.write { connection in
            guard try Sessions.end(session.id, because: .signedOut, now: now, on: connection) else { return }
            try entry.write(on: connection)
        }
    }

    private func session(
        of token: PresentedToken, client: RegisteredClient, now: Timestamp
    ) async throws -> NewSession? {
        if let presented = PresentedRefreshToken(token.reveal()) {
            let found = try await RefreshTokenLookup(context: context).find(presented, client: client, now: now)
            // The current token, or its predecessor from an app whose last response was lost. An older one only proves that someone once
            // had it.
            guard let found, Int64(presented.generation) + 1 >= found.generation,
                Int64(presented.generation) <= found.generation
            else { return nil }
            return found.facts
        }
        guard let accessToken = try? AccessToken(token.reveal()),
            let claims = try await AccessTokenCheck(context: context).claims(of: accessToken, now: now),
            claims.clientID == client.id, let id = claims.sessionID.flatMap({ UniqueID(bytes: $0.bytes) })
        else { return nil }
        let session = try await context.database.read { try Sessions.find(id, on: $0)?.facts }
        // A public client does not authenticate, and access tokens travel to every resource server. If the session is bound to a key, the
        // access token alone must not be enough to sign its holder out.
        return session?.dpopThumbprint == nil ? session : nil
    }
}

struct RefreshTokenLookup: Sendable {
    let context: ServerContext

    /// Finds the session if the token is genuine and belongs to this client, with one point read.
    func find(
        _ presented: PresentedRefreshToken, client: RegisteredClient, now: Timestamp
    ) async throws -> SessionRecord? {
        guard let key = try await context.keyRing.findKey(.refresh, presented.keyID, now: now),
            let id = UniqueID(bytes: presented.session.bytes),
            let record = try await context.database.read({ try Sessions.find(id, on: $0) }),
            record.facts.clientID == client.id.rawValue, record.facts.macKeyID == Int64(presented.keyID.value),
            presented.isGenuine(
                under: key, client: client.id, account: record.facts.accountID.bytes, rowSecret: record.facts.secret)
        else { return nil }
        return record
    }
}
