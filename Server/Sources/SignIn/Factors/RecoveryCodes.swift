package import Core
package import Store

/// Reads and writes recovery codes. It owns the `recovery_codes` table, which has only digests.
package enum RecoveryCodes {
    /// Stores a new set, which voids the one before.
    package static func replace(
        of account: UniqueID, with digests: [[UInt8]], now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute("DELETE FROM recovery_codes WHERE account_id = $1", [.id(account)])
        for digest in digests {
            try connection.execute(
                "INSERT INTO recovery_codes (account_id, digest, created_at) VALUES ($1, $2, $3)",
                [.id(account), .blob(digest), .time(now)])
        }
    }

    /// Whether these are all of the account's codes, none is spent, and they were made at `time` or later.
    package static func are(
        _ digests: [[UInt8]], of account: UniqueID, since time: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let stored = try connection.query(
            "SELECT digest FROM recovery_codes WHERE account_id = $1 AND created_at >= $2", [.id(account), .time(time)]
        ).map { try $0.blob("digest") }
        return Set(stored) == Set(digests)
    }

    /// A batch of accounts that have recovery codes.
    package static func holders(limit: Int, on connection: any SQLConnection) throws -> [UniqueID] {
        try connection.query(
            "SELECT DISTINCT account_id FROM recovery_codes ORDER BY account_id LIMIT $1", [.integer(Int64(limit))]
        ).map { try $0.id("account_id") }
    }

    /// - Returns: whether there were any.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM recovery_codes WHERE account_id = $1", [.id(account)]) > 0
    }

    /// Spends a code.
    /// - Returns: whether it was there. Of several callers with the same code one gets `true`.
    package static func spend(
        _ digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM recovery_codes WHERE account_id = $1 AND digest = $2", [.id(account), .blob(digest)]) == 1
    }
}
