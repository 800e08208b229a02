import Core
import Store

/// Keeps commits that hang at the server, as they do while a synchronous standby is missing, from using up its connections.
final class HangingCommitLimit: Sendable {
    private let options: PostgreSQLOptions
    /// How many connections this process has for writes.
    private let writers: Int
    /// Whether a commit got no answer in time, and commits may still hang at the server.
    private let isSuspected = LockedValue(false)

    init(options: PostgreSQLOptions, writers: Int) {
        self.options = options
        self.writers = writers
    }

    /// A commit got no answer in time.
    func suspect() { isSuspected.withLock { $0 = true } }

    /// Refuses a write while as many of the login role's commits hang at the server as this process has connections for writes.
    /// Each commit that was given up leaves a backend behind, and more of them would use up the server's connections,
    /// even for reads.
    /// - Returns: `nil` if the write may begin.
    func refusalOfWrites(at connection: ServerConnection) -> StoreError? {
        guard isSuspected.withLock({ $0 }) else { return nil }
        let count = try? connection.hangingCommits(for: options.statementTimeout, within: options.askLimit)
        if count == 0 { isSuspected.withLock { $0 = false } }
        guard count ?? .max >= writers else { return nil }
        return StoreError(
            .unavailable,
            "commits at \(connection.target.name) get no response: `walletauth doctor` shows whether a standby is missing"
        )
    }
}

extension ServerConnection {
    /// The number of the login role's commits that have waited for a synchronous standby for longer than `time`.
    /// PostgreSQL keeps the backend of such a commit until a standby confirms it: neither a time limit nor the end of
    /// the client's connection ends the wait.
    func hangingCommits(for time: Duration, within limit: Duration) throws -> Int64 {
        let row = try rowAsLoginRole(
            """
            SELECT COUNT(*) AS number FROM pg_catalog.pg_stat_activity a
            WHERE a.datname = current_database() AND a.usename = session_user AND a.wait_event = 'SyncRep'
                AND EXTRACT(EPOCH FROM clock_timestamp() - a.query_start) * 1000 > $1
            """, [.integer(time.wholeMilliseconds)], within: limit)
        return try row?.integer("number") ?? 0
    }
}
