package import AuthCore

/// Removes what has expired, a small batch in each write, so that nobody waits behind it.
package enum Sweep {
    /// Removes everything that had expired by a time.
    ///
    /// - Parameters:
    ///   - database: the database to sweep.
    ///   - now: what expired before or at it goes.
    ///   - batch: rows looked at or removed in one write, at least 1.
    /// - Returns: how many rows went.
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

    /// Sessions have no index on their end, because every refresh moves it: the sweep walks the ids instead, a page at a
    /// time, and removes the expired ones of the page.
    private static func sessions(
        after id: UniqueID?, now: Timestamp, batch: Int64, on connection: any SQLConnection
    ) throws -> (removed: Int, last: UniqueID?) {
        let after: SQLValue = id.map { .id($0) } ?? .blob([])
        let last = try connection.row(
            "SELECT id FROM sessions WHERE id > $1 ORDER BY id LIMIT 1 OFFSET $2", [after, .integer(batch - 1)])
        let end: SQLValue = try last.map { .id(try $0.id(0)) } ?? .blob([UInt8](repeating: 0xFF, count: 17))
        let removed = try connection.execute(
            "DELETE FROM sessions WHERE id > $1 AND id <= $2 AND expires_at <= $3", [after, end, .time(now)])
        return (removed, try last?.id(0))
    }

    /// One statement for each table whose rows expire by an index.
    private static let expirations = [
        """
        DELETE FROM redeemed_codes WHERE id IN
            (SELECT r.id FROM redeemed_codes r WHERE r.expires_at <= $1 ORDER BY r.expires_at LIMIT $2)
        """,
        """
        DELETE FROM stored_codes WHERE id IN
            (SELECT s.id FROM stored_codes s WHERE s.expires_at <= $1 ORDER BY s.expires_at LIMIT $2)
        """,
        """
        DELETE FROM seen_jtis WHERE digest IN
            (SELECT s.digest FROM seen_jtis s WHERE s.expires_at <= $1 ORDER BY s.expires_at LIMIT $2)
        """,
        """
        DELETE FROM attempts WHERE expires_at <= $1 AND subject IN
            (SELECT a.subject FROM attempts a WHERE a.expires_at <= $1 ORDER BY a.expires_at LIMIT $2)
        """,
        """
        DELETE FROM browser_sessions WHERE id_hash IN
            (SELECT b.id_hash FROM browser_sessions b WHERE b.expires_at <= $1 ORDER BY b.expires_at LIMIT $2)
        """,
        """
        DELETE FROM open_factors WHERE id IN
            (SELECT f.id FROM open_factors f WHERE f.expires_at <= $1 ORDER BY f.expires_at LIMIT $2)
        """,
        """
        DELETE FROM recoveries WHERE id IN
            (SELECT r.id FROM recoveries r WHERE r.expires_at <= $1 ORDER BY r.expires_at LIMIT $2)
        """,
        """
        DELETE FROM totp_secrets WHERE state = 'pending' AND account_id IN
            (SELECT t.account_id FROM totp_secrets t WHERE t.expires_at <= $1 ORDER BY t.expires_at LIMIT $2)
        """,
        """
        DELETE FROM login_nonces WHERE digest IN
            (SELECT n.digest FROM login_nonces n WHERE n.expires_at <= $1 ORDER BY n.expires_at LIMIT $2)
        """,
        """
        DELETE FROM pin_challenges WHERE id IN
            (SELECT c.id FROM pin_challenges c WHERE c.expires_at <= $1 ORDER BY c.expires_at LIMIT $2)
        """,
        """
        DELETE FROM pin_charges WHERE challenge_id IN
            (SELECT c.challenge_id FROM pin_charges c WHERE c.expires_at <= $1 ORDER BY c.expires_at LIMIT $2)
        """,
        """
        DELETE FROM outbox WHERE id IN
            (SELECT o.id FROM outbox o WHERE o.expires_at <= $1 ORDER BY o.expires_at LIMIT $2)
        """,
        // A row goes with its steps and attempts, which name it: those first.
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
    ]
}
