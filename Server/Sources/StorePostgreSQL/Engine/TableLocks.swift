import Store

/// How one change of the schema gets the locks of its tables, which another session may hold for long: a `pg_dump`, or an
/// operator's open transaction.
///
/// An `ALTER TABLE` that waits keeps every later request on its table waiting, and so stops the service. So it waits only
/// for a moment, rolls back, and runs again after a pause in which requests go on.
struct TableLocks {
    /// Between two runs, in seconds. It is random, so that two processes do not keep meeting.
    static let pause = 1.0...3.0

    private static let moment = Duration.milliseconds(500)
    /// PostgreSQL ends an autovacuum that is in the way, but only for a session that has waited for `deadlock_timeout`, by
    /// default one second. Every third run waits for that.
    private static let momentForAutovacuum = Duration.milliseconds(1500)

    private let patience: Duration
    private var refusals = 0
    private var firstRefusal: ContinuousClock.Instant?

    /// - Parameter patience: how long to try again, from the first run that did not get a lock.
    init(patience: Duration) {
        self.patience = patience
    }

    /// How long the next run waits for each lock.
    var timeout: Duration { refusals % 3 == 2 ? Self.momentForAutovacuum : Self.moment }

    /// Counts a run that did not get a lock.
    /// - Returns: whether there is time for another one.
    mutating func mayTryAgain() -> Bool {
        refusals += 1
        let first = firstRefusal ?? .now
        firstRefusal = first
        return ContinuousClock.now - first < patience
    }

    /// Names a query that also finds the session after the last run.
    static let refusal = StoreError(
        .unavailable,
        """
        another session holds a lock on a table (PostgreSQL 55P03), so this migration was rolled back and has changed \
        nothing; earlier ones remain. To find that session, look at the oldest transactions: SELECT pid, usename, \
        application_name, state, xact_start, query FROM pg_stat_activity WHERE datname = current_database() ORDER BY \
        xact_start LIMIT 5. Wait for it to end, or end it, and run `walletauth database migrate` or start again
        """)
}
