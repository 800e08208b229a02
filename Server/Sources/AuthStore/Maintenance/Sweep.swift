package import AuthCore

/// Deletes expired rows, a small batch in each write, so that other writes do not wait.
package enum Sweep {
    /// Deletes all rows that have expired by `now`.
    /// - Parameter batch: the rows read or deleted in one write, at least 1.
    /// - Returns: the number of rows deleted.
    /// - Throws: ``StoreError``, or `CancellationError` between two batches.
    package static func run(_ database: any Database, now: Timestamp, batch: Int = 500) async throws -> Int {
        let size = Int64(max(1, batch))
        var removed = 0
        for statement in expirations {
            while true {
                try Task.checkCancellation()
                let count = try await database.write { try $0.execute(statement, [.time(now), .integer(size)]) }
                removed += count
                guard count == size else { break }
            }
        }
        var next: UniqueID?
        repeat {
            try Task.checkCancellation()
            let from = next
            let step = try await database.write { try sessions(after: from, now: now, batch: size, on: $0) }
            removed += step.removed
            next = step.last
        } while next != nil
        return removed
    }

    /// Sessions have no index on their end, because every refresh moves it. The sweep walks the ids instead, a page at
    /// a time, and deletes the expired sessions of the page.
    private static func sessions(
        after id: UniqueID?, now: Timestamp, batch: Int64, on connection: any SQLConnection
    ) throws -> (removed: Int, last: UniqueID?) {
        let after: SQLValue = id.map { .id($0) } ?? .blob([])
        let last = try connection.row(
            "SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2", [after, .integer(batch - 1)])
        let end: SQLValue = try last.map { .id(try $0.id("id")) } ?? .blob([UInt8](repeating: 0xFF, count: 17))
        let removed = try connection.execute(
            "DELETE FROM sessions WHERE id > $1 AND id <= $2 AND expires_at <= $3", [after, end, .time(now)])
        return (removed, try last?.id("id"))
    }

    /// One statement for each table whose rows expire by an index.
    private static let expirations = [
        expired(in: "redeemed_codes", by: "id"),
        expired(in: "stored_codes", by: "id"),
        expired(in: "seen_jtis", by: "digest"),
        expired(in: "apple_notifications", by: "digest"),
        expired(in: "apple_transfers", by: "transfer"),
        // A row may be charged again between the query and the deletion.
        expired(in: "attempts", by: "subject", still: "expires_at <= $1"),
        expired(in: "browser_sessions", by: "id_hash"),
        expired(in: "open_factors", by: "id"),
        expired(in: "recoveries", by: "id"),
        expired(in: "totp_secrets", by: "account_id", still: "state = 'pending'"),
        expired(in: "login_nonces", by: "digest"),
        expired(in: "pin_challenges", by: "id"),
        expired(in: "pin_charges", by: "challenge_id"),
        expired(in: "outbox", by: "id"),
        expired(in: "loyalty_enrollments", by: "digest"),
        // Steps and attempts refer to an operation's row, so they are deleted first.
        """
        DELETE FROM sca_steps WHERE event_id IN
            (SELECT w.event_id FROM wallet_operations w WHERE w.kept_until <= $1 ORDER BY w.kept_until LIMIT $2)
        """,
        """
        DELETE FROM sca_attempts WHERE event_id IN
            (SELECT w.event_id FROM wallet_operations w WHERE w.kept_until <= $1 ORDER BY w.kept_until LIMIT $2)
        """,
        """
        DELETE FROM wallet_operations WHERE event_id IN
            (SELECT w.event_id FROM wallet_operations w WHERE w.kept_until <= $1
                AND NOT EXISTS (SELECT 1 FROM sca_attempts a WHERE a.event_id = w.event_id)
                AND NOT EXISTS (SELECT 1 FROM sca_steps s WHERE s.event_id = w.event_id)
                ORDER BY w.kept_until LIMIT $2)
        """,
        """
        DELETE FROM transaction_steps WHERE transaction_id IN
            (SELECT t.id FROM transactions t WHERE t.kept_until <= $1 ORDER BY t.kept_until LIMIT $2)
        """,
        """
        DELETE FROM transactions WHERE id IN
            (SELECT t.id FROM transactions t WHERE t.kept_until <= $1
                AND NOT EXISTS (SELECT 1 FROM transaction_steps s WHERE s.transaction_id = t.id)
                ORDER BY t.kept_until LIMIT $2)
        """,
    ]

    /// The statement that deletes the rows of a table that expired first.
    /// - Parameters:
    ///   - table: a table with an indexed column `expires_at`.
    ///   - condition: a further condition for the deletion.
    private static func expired(in table: String, by key: String, still condition: String? = nil) -> String {
        """
        DELETE FROM \(table) WHERE \(condition.map { $0 + " AND " } ?? "")\(key) IN
            (SELECT t.\(key) FROM \(table) t WHERE t.expires_at <= $1 ORDER BY t.expires_at LIMIT $2)
        """
    }
}
