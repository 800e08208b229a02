internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Makes room for a session that an account opens at a client where it has as many as it may have: the one that was idle longest ends,
/// in the write that opens the new one.
///
/// It bounds the open sessions of an account, and with them what a revocation of all of them writes.
struct SessionLimit: Sendable {
    let limit: Int
    let keyRing: KeyRing
    let database: any Database
    let auditLog: AuditLog

    /// Ended sessions say which keys are known, so a low limit must not take them away.
    private static let leastKept = 100

    /// How many more may accumulate before those beyond are forgotten, at once.
    private static let step = 32

    /// The person hears of it once a day: with an app that never signs out, it happens at each sign-in.
    private static let policy = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(24), longest: .hours(24)), forgottenAfter: .hours(24))

    /// Reads what makes room. Call it before the write.
    func room(for session: NewSession, call: TokenCaller) async throws -> Room {
        let (account, client) = (session.accountID, session.grantedTo ?? session.clientID)
        let notices = AttemptLimit(
            Digests.keyed("session-limit", [account.uuid, client], key: try keyRing.active(.attempts)),
            under: Self.policy)
        return try await database.read { [limit, auditLog] connection in
            let surplus = try Sessions.surplus(
                of: account, at: client, limit: limit, keeping: max(limit, Self.leastKept), inStepsOf: Self.step,
                now: call.now, on: connection)
            let held =
                surplus.open.isEmpty ? nil : try Attempts.heldUntil([notices], now: call.now, on: connection)
            return Room(
                auditLog: auditLog, call: call, account: account, client: client, surplus: surplus, notices: notices,
                wasNotified: held != nil)
        }
    }

    /// The sessions that make room for one.
    struct Room: Sendable {
        fileprivate let auditLog: AuditLog
        fileprivate let call: TokenCaller
        fileprivate let account: UniqueID
        fileprivate let client: String
        fileprivate let surplus: Sessions.Surplus
        fileprivate let notices: AttemptLimit
        /// The person heard of it today. It is read before the write, so that an app that never signs out does not count at each
        /// sign-in what changes nothing.
        fileprivate let wasNotified: Bool

        /// Ends what makes room. Call it in the write that opened the session.
        func make(now: Timestamp, on connection: any SQLConnection) throws {
            // Some may have ended since they were read.
            var ended: Int64 = 0
            for session in surplus.open {
                if try Sessions.end(session, because: .limitReached, now: now, on: connection) { ended += 1 }
            }
            for session in surplus.ended + surplus.revoked { try Sessions.forget(session, on: connection) }
            guard ended > 0 else { return }
            var details = JSONObject()
            details.set("sessions", ended)
            try auditLog.entry(
                SessionEvent.limitReached, account: account, client: client, origin: call.origin, now: call.now,
                details: details
            ).write(on: connection)
            if wasNotified { return }
            if case .compare = try Attempts.count(notices.subject, under: notices.policy, now: now, on: connection) {
                try auditLog.entry(SessionMessage.limitReached, account: account, email: nil, now: call.now)
                    .write(on: connection)
            }
        }
    }
}
