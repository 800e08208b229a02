internal import Core
internal import Kernel
internal import Store

/// Ends a session of which someone has a copy, and notifies the holder: the server cannot tell which of the two that is.
struct StolenSessions: Sendable {
    let database: any Database
    let clock: any Clock
    let auditLog: AuditLog

    /// What came a second time.
    enum Copy: Sendable {
        case code, refreshToken
    }

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
            event, account: account, client: client, origin: call.origin, now: call.now, message: message)
        try await database.write { connection in
            guard
                try Sessions.end(
                    session, because: why, distrusting: scope, now: clock.writeTime(since: call.now), on: connection)
            else { return }
            try entry.write(on: connection)
        }
    }
}
