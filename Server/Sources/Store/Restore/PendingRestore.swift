package import Core

/// Marks a copy that replaces a database, until the effects of the restore have been applied at a start.
///
/// The mark is in the copy itself, so that both appear together: a power cut during a restore leaves either the former
/// database without a mark, or the restored one with it. On PostgreSQL, the mark is also set by a server that notices an
/// older database; `database restored` then applies the effects.
package enum PendingRestore {
    /// The name of the mark in ``Meta``.
    static let name = "restore.pending"

    /// Marks a copy; one statement, for any connection.
    package static let marking =
        "INSERT INTO meta (name, value) VALUES ('\(name)', '1') ON CONFLICT (name) DO NOTHING"

    /// The number of marks, 0 or 1; one statement, for any connection.
    package static let counting = "SELECT COUNT(*) FROM meta WHERE name = '\(name)'"

    /// Whether the database was restored and the effects have not been applied yet.
    package static func isPending(on connection: any SQLConnection) throws -> Bool {
        try Meta.value(name, on: connection) != nil
    }

    /// Removes the mark, in the transaction that completes the restore.
    package static func settle(on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM meta WHERE name = $1", [.text(name)])
    }
}

/// The credentials that a restore brought back: passkeys, identities at providers, authenticator apps and devices.
package enum RestoredFactors {
    /// A page of accounts with such credentials, in the order of their ids.
    /// - Parameter last: the last one of the previous page; `nil` for the first page.
    package static func accounts(
        after last: UniqueID?, addedUntil restoredAt: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT a.id FROM accounts a WHERE a.id > $1 AND (
                EXISTS (SELECT 1 FROM passkeys p WHERE p.account_id = a.id AND p.created_at <= $2)
                OR EXISTS (SELECT 1 FROM federated_identities f WHERE f.account_id = a.id AND f.linked_at <= $2)
                OR EXISTS (SELECT 1 FROM totp_secrets t
                    WHERE t.account_id = a.id AND t.state = 'active' AND t.created_at <= $2)
                OR EXISTS (SELECT 1 FROM devices d
                    WHERE d.account_id = a.id AND d.state <> 'removed' AND d.created_at <= $2))
            ORDER BY a.id LIMIT $3
            """, [.blob(last?.bytes ?? []), .time(restoredAt), .integer(Int64(limit))]
        ).map { try $0.id("id") }
    }
}
