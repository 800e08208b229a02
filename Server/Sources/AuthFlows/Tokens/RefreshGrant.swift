internal import AuthCore
internal import AuthStore
internal import Crypto
internal import Logging
internal import WalletAuthWire

/// Renewing a session: one body in the store (``SessionRenewal``), then the tokens.
struct RefreshGrant: Sendable {
    let context: ServerContext

    func refresh(_ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCaller) async throws -> TokenOutcome {
        switch try await renew(token, attempt: attempt, call: call) {
        case .success(let renewed): .issued(renewed.tokens)
        case .failure(let refusal): .refused(refusal)
        }
    }

    /// The same, with whose session it is.
    func renew(
        _ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCaller
    ) async throws -> Result<(tokens: TokenResponse, account: UniqueID), OAuthRefusal> {
        // A text that is no token of ours, or names a key that there never was, does not reach the store's writer. The
        // MAC itself covers a secret of the row, so that it can only be checked beside it.
        guard let presented = PresentedRefreshToken(token.reveal()),
            let key = try await context.keyRing.key(.refresh, presented.keyID, now: call.now)
        else { return .failure(.invalidGrant) }
        let renewal = SessionRenewal(
            presented: presented, key: key, client: call.client, thumbprint: call.proof?.thumbprint, scope: call.scope,
            resources: call.resources, attemptHash: attempt.map { Array(SHA256.hash(data: Array($0.reveal().utf8))) },
            issuer: context.settings.issuer, idleLimit: context.settings.sca.policy.idleLimit, now: call.now)
        switch try await context.database.write({ try renewal.run(on: $0) }) {
        case .renewed(let session, let generation, let scope, let audience):
            let wanted = TokenMint.SessionTokens(
                session: session, generation: generation, audience: audience, scope: scope)
            return .success((try await TokenMint(context: context).tokens(wanted, call: call), session.accountID))
        case .reused(let session):
            try await revokeOnReuse(of: session, call: call)
            return .failure(.invalidGrant)
        case .ahead:
            context.logger.notice("a refresh token is ahead of its session: was the database restored?")
            return .failure(.invalidGrant)
        case .refused(let refusal):
            return .failure(refusal)
        }
    }

    /// A spent token came again, with everything that only its owner should have: somebody has a copy of the store.
    /// Nobody can tell which of the two is the holder, so the session ends and the holder is told.
    private func revokeOnReuse(of session: NewSession, call: TokenCaller) async throws {
        let entry = try AuditLog(context: context).entry(
            .refreshReuse, account: session.accountID, client: session.clientID, origin: call.origin, now: call.now,
            message: .refreshReuse)
        let revocationScope = try await context.clients.revocationScope(
            ofSessionWith: call.client, grantedTo: session.grantedTo.map { try ClientID($0) }, now: call.now)
        try await context.database.write { connection in
            guard
                try Sessions.end(
                    session.id, because: .refreshReuse, distrusting: revocationScope, now: call.now, on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}
