internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Ends a session of which someone has a copy, and notifies the holder: the server cannot tell which of the two that is.
struct StolenSessions: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog

    /// What came a second time.
    enum Copy: Sendable {
        case code, refreshToken
    }

    /// - Parameter client: the one that the person signed in to.
    func end(
        _ session: UniqueID, of account: UniqueID, at client: String, by copy: Copy,
        distrusting scope: SessionEnd.RevocationScope, call: TokenCaller
    ) async throws {
        let (why, event, message): (SessionEnd, SessionEvent, SessionMessage) =
            switch copy {
            case .code: (.codeReuse, .codeReuse, .codeReuse)
            case .refreshToken: (.refreshReuse, .refreshReuse, .refreshReuse)
            }
        let entry = try auditLog.entry(
            event, account: account, client: client, origin: call.origin, now: call.now,
            details: .naming(session: session), message: message)
        try await database.write { connection in
            guard
                try Sessions.end(
                    session, because: why, distrusting: scope, now: clock.writeTime(since: call.now), on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}

extension ClientDirectory {
    /// Decides how much a replayed code revokes.
    ///
    /// A third-party app can replay its own codes whenever it likes: that must not revoke trust in the browsers and keys that
    /// people use with the operator's app. The app has code and verifier, even if a redeemer redeems them.
    /// - Parameters:
    ///   - app: the client that the person signed in to.
    ///   - now: the present moment.
    func revocationScope(ofCodeFor app: ClientID, now: Timestamp) async throws -> SessionEnd.RevocationScope {
        // A deleted client may have been the operator's own.
        guard let signedInTo = try await find(app, now: now) else { return .account }
        return signedInTo.isFirstParty ? .account : .session
    }

    /// Decides how much a replayed refresh token revokes. Only the session's client has that token.
    /// - Parameters:
    ///   - client: the session's client.
    ///   - app: the client that the person signed in to, if another.
    ///   - now: the present moment.
    func revocationScope(
        ofSessionWith client: RegisteredClient, grantedTo app: ClientID?, now: Timestamp
    ) async throws -> SessionEnd.RevocationScope {
        if client.isFirstParty { return .account }
        guard let app else { return .session }
        return try await revocationScope(ofCodeFor: app, now: now)
    }
}
