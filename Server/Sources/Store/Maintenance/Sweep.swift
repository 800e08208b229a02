package import Core

/// Deletes expired rows, a small batch in each write, so that other writes do not wait.
package enum Sweep {
    /// Deletes all rows that have expired by `now`.
    /// - Parameters:
    ///   - observed: the end of the retentions that are over by a second clock; `nil` without one. What has to be kept as evidence
    ///     is deleted when both are past its retention.
    ///   - batch: the expired rows of one write, at least 1. The rows that refer to them come in addition.
    /// - Returns: the number of rows deleted.
    /// - Throws: ``StoreError``, or `CancellationError` between two writes.
    package static func run(
        _ database: any Database, now: Timestamp, observed: Timestamp? = nil, batch: Int = 500
    ) async throws -> Int {
        let size = Int64(max(1, batch))
        let retained = min(now, observed ?? now)
        var removed = 0
        for (statements, end) in expiring.map({ ($0, now) }) + retentions.map({ ($0, retained) }) {
            var count = 0
            repeat {
                for statement in statements {
                    try Task.checkCancellation()
                    count = try await database.write { try $0.execute(statement, [.time(end), .integer(size)]) }
                    removed += count
                }
                // The last statement deletes the expired rows themselves.
            } while count == size
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

    /// The statements for each table whose rows end by an index. Each is run with the time and the size of a batch.
    static let expirations = expiring + retentions

    /// Of what no longer works.
    private static let expiring: [[String]] = [
        expired(in: "redeemed_codes", by: "id"),
        expired(in: "stored_codes", by: "id"),
        expired(in: "pushed_requests", by: "id"),
        expired(in: "seen_jtis", by: "digest"),
        expired(in: "apple_notifications", by: "digest"),
        expired(in: "apple_transfers", by: "transfer"),
        // A row may be charged again between the query and the deletion.
        expired(in: "attempts", by: "subject", still: "expires_at <= $1"),
        expired(in: "browser_sessions", by: "id_hash"),
        expired(in: "open_factors", by: "id"),
        expired(in: "recoveries", by: "id"),
        expired(in: "registrations", by: "id"),
        expired(in: "contact_changes", by: "account_id, channel"),
        // The others are erased.
        expired(in: "account_closings", by: "account_id", still: "kept_at IS NOT NULL"),
        expired(in: "operator_invitations", by: "account_id"),
        expired(in: "operator_requests", by: "id"),
        expired(in: "totp_secrets", by: "account_id", still: "state = 'pending'"),
        expired(in: "login_nonces", by: "digest"),
        expired(in: "pin_challenges", by: "id"),
        expired(in: "pin_charges", by: "challenge_id"),
        expired(in: "outbox", by: "id"),
        // Of an event, a row of one receiver may have expired before that of another.
        expired(in: "webhook_deliveries", by: "event_id, endpoint_id"),
        expired(in: "loyalty_enrollments", by: "digest"),
        expired(in: "scan_sign_ins", by: "id"),
        expired(in: "device_grants", by: "id"),
    ]

    /// Of what has to be kept as evidence.
    private static let retentions: [[String]] = [
        retained(in: "wallet_operations", by: "event_id", with: ["sca_steps", "sca_attempts"], referring: "event_id"),
        retained(in: "transactions", by: "id", with: ["transaction_steps"], referring: "transaction_id"),
    ]

    /// The statement that deletes the rows of a table that expired first.
    /// - Parameters:
    ///   - table: a table with an indexed column `expires_at`.
    ///   - key: its primary key, which may have several columns.
    ///   - condition: a further condition for the deletion.
    private static func expired(in table: String, by key: String, still condition: String? = nil) -> [String] {
        let further = condition.map { $0 + " AND " } ?? ""
        let first = "SELECT \(key) FROM \(table) t WHERE t.expires_at <= $1 ORDER BY t.expires_at LIMIT $2"
        return ["DELETE FROM \(table) WHERE \(further)(\(key)) IN (\(first))"]
    }

    /// The statements that delete the rows of a table whose retention ended first, after the rows that refer to them.
    /// - Parameters:
    ///   - table: a table with an indexed column `kept_until`.
    ///   - others: the tables whose rows refer to it.
    ///   - reference: their column with its key.
    private static func retained(
        in table: String, by key: String, with others: [String], referring reference: String
    ) -> [String] {
        let ended = "SELECT t.\(key) FROM \(table) t WHERE t.kept_until <= $1"
        // Rows may have the same end. By the key too, each statement selects the same ones.
        let first = "ORDER BY t.kept_until, t.\(key) LIMIT $2"
        let unreferenced = others.map { "AND NOT EXISTS (SELECT 1 FROM \($0) r WHERE r.\(reference) = t.\(key))" }
        return others.map { "DELETE FROM \($0) WHERE \(reference) IN (\(ended) \(first))" } + [
            "DELETE FROM \(table) WHERE \(key) IN (\(ended) \(unreferenced.joined(separator: " ")) \(first))"
        ]
    }
}
