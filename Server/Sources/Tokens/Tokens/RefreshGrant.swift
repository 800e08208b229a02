internal import Core
internal import Crypto
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire

/// Renews a session: one body in the database (``SessionRenewal``), then the tokens.
struct RefreshGrant: Sendable {
    let context: ServerContext

    func refresh(_ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCaller) async throws -> TokenOutcome {
        switch try await renew(token, attempt: attempt, call: call) {
        case .success(let renewed): .issued(renewed.tokens)
        case .failure(let refusal): .refused(refusal)
        }
    }

    /// Also returns the session's account.
    func renew(
        _ token: RefreshToken, attempt: RefreshAttempt?, call: TokenCaller
    ) async throws -> Result<(tokens: TokenResponse, account: UniqueID), OAuthRefusal> {
        // A malformed token, or one that names an unknown key, does not reach the database's writer. The MAC covers a secret of the row,
        // so it can only be verified together with it.
        guard let presented = PresentedRefreshToken(token.reveal()),
            let key = try await context.keyRing.findKey(.refresh, presented.keyID, now: call.now)
        else { return .failure(.invalidGrant) }
        let renewal = SessionRenewal(
            presented: presented, key: key, client: call.client, thumbprint: call.proof?.thumbprint, scope: call.scope,
            resources: call.resources, attemptHash: attempt.map { Array(SHA256.hash(data: Array($0.reveal().utf8))) },
            issuer: context.settings.issuer, idleLimit: context.settings.sca.policy.idleLimit, now: call.now)
        switch try await context.database.write(isolation: .guardedStatement, { try renewal.run(on: $0) }) {
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

    /// Ends the session after an old token came back with a valid proof of everything its owner has: someone has a copy of the app's
    /// storage. The server cannot tell which of the two is the holder, so it also notifies the holder.
    private func revokeOnReuse(of session: NewSession, call: TokenCaller) async throws {
        let entry = try context.auditLog.entry(
            SessionEvent.refreshReuse, account: session.accountID, client: session.clientID, origin: call.origin,
            now: call.now,
            message: SessionMessage.refreshReuse)
        let revocationScope = try await context.clients.revocationScope(
            ofSessionWith: call.client, grantedTo: session.grantedTo.map { try ClientID($0) }, now: call.now)
        try await context.database.write { connection in
            guard
                try Sessions.end(
                    session.id, because: .refreshReuse, distrusting: revocationScope,
                    now: context.writeTime(since: call.now), on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}
