import Core
import Store

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
