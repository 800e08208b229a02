internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Makes room for a session that an account opens at a client where it has as many as it may have: the one that was idle longest ends,
/// in the write that opens the new one.
///
/// It bounds the open sessions of an account, and with them what a revocation of all of them writes.
struct SessionLimit: Sendable {
    private let context: ServerContext
    private let call: TokenCaller
    private let account: UniqueID
    private let client: String
    private let surplus: Sessions.Surplus
    private let notices: AttemptLimit
    /// The person heard of it today. It is read before the write, so that an app that never signs out does not count at each
    /// sign-in what changes nothing.
    private let wasNotified: Bool

    /// Ended sessions say which keys are known, so a low limit must not take them away.
    private static let leastKept = 100

    /// How many more may accumulate before those beyond are forgotten, at once.
    private static let step = 32

    /// The person hears of it once a day: with an app that never signs out, it happens at each sign-in.
    private static let policy = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(24), longest: .hours(24)), forgottenAfter: .hours(24))

    /// Reads what makes room. Call it before the write.
    init(before session: NewSession, call: TokenCaller, context: ServerContext) async throws {
        let (account, client) = (session.accountID, session.grantedTo ?? session.clientID)
        let limit = context.settings.sessions.limit
        (self.context, self.call, self.account, self.client) = (context, call, account, client)
        let notices = AttemptLimit(
            Digests.keyed(
                "session-limit", [account.uuid, client], key: try context.keyRing.active(.attempts)),
            under: Self.policy)
        self.notices = notices
        (surplus, wasNotified) = try await context.database.read { connection in
            let surplus = try Sessions.surplus(
                of: account, at: client, limit: limit, keeping: max(limit, Self.leastKept), inStepsOf: Self.step,
                now: call.now, on: connection)
            let held =
                surplus.open.isEmpty ? nil : try Attempts.heldUntil([notices], now: call.now, on: connection)
            return (surplus, held != nil)
        }
    }

    /// Ends what makes room. Call it in the write that opened the session.
    func makeRoom(now: Timestamp, on connection: any SQLConnection) throws {
        // Some may have ended since they were read.
        var ended: Int64 = 0
        for session in surplus.open {
            if try Sessions.end(session, because: .limitReached, now: now, on: connection) { ended += 1 }
        }
        for session in surplus.ended + surplus.revoked { try Sessions.forget(session, on: connection) }
        guard ended > 0 else { return }
        let auditLog = context.auditLog
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
