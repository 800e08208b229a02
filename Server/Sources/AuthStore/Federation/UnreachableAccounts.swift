package import AuthCore

/// Accounts without a password whose only identity ended at its provider. It owns the `unreachable_accounts` table.
package enum UnreachableAccounts {
    /// Records that an account lost its last way to sign in.
    package static func record(_ account: UniqueID, at now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO unreachable_accounts (account_id, unreachable_since) VALUES ($1, $2)
            ON CONFLICT (account_id) DO NOTHING
            """, [.id(account), .time(now)])
    }

    /// Whether an account lost its last way to sign in and has had none since; one point read.
    package static func contains(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM unreachable_accounts u JOIN accounts a ON a.id = u.account_id
            WHERE u.account_id = $1 AND a.password IS NULL
                AND NOT EXISTS (SELECT 1 FROM federated_identities f WHERE f.account_id = $1)
            """, [.id(account)]) != nil
    }

    /// Deletes the record, for the erasure of an account.
    package static func remove(_ account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM unreachable_accounts WHERE account_id = $1", [.id(account)])
    }
}
