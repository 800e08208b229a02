package import Core
package import Store

/// Reads and writes the closings of accounts by their holders. It owns the `account_closings` table.
package enum AccountClosings {
    /// - Parameters:
    ///   - digest: of the code that takes the closing back.
    ///   - end: when the account is erased.
    static func begin(
        of account: UniqueID, keptBy digest: [UInt8], until end: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO account_closings (account_id, keep_digest, kept_at, expires_at) VALUES ($1, $2, NULL, $3)
            ON CONFLICT (account_id) DO UPDATE SET keep_digest = excluded.keep_digest, kept_at = NULL,
                expires_at = excluded.expires_at
            """, [.id(account), .blob(digest), .time(end)])
    }

    /// A closing whose time is not over.
    struct Record: Sendable {
        var account: UniqueID
        var end: Timestamp
        var isTakenBack: Bool
    }

    static func find(
        keptBy digest: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            "SELECT account_id, expires_at, kept_at FROM account_closings WHERE keep_digest = $1 AND expires_at > $2",
            [.blob(digest), .time(now)]
        ).map {
            Record(
                account: try $0.id("account_id"), end: try $0.time("expires_at"),
                isTakenBack: try $0.optionalTime("kept_at") != nil)
        }
    }

    /// Notes that the closing was taken back. The row stays until its time is over, so that the same code succeeds again.
    package static func takeBack(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE account_closings SET kept_at = $2 WHERE account_id = $1 AND kept_at IS NULL",
            [.id(account), .time(now)])
    }

    /// When the account is erased; `nil` if its holder did not close it, or took that back.
    package static func end(of account: UniqueID, on connection: any SQLConnection) throws -> Timestamp? {
        try connection.row(
            "SELECT expires_at FROM account_closings WHERE account_id = $1 AND kept_at IS NULL", [.id(account)]
        )?.time("expires_at")
    }

    /// An account that is to be erased.
    package struct Due: Sendable, Hashable {
        package let account: UniqueID
        let end: Timestamp
    }

    /// A page of the accounts that are to be erased now, after the given one. One that an operator has closed as well waits for the
    /// operator.
    package static func due(
        after last: Due? = nil, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [Due] {
        try connection.query(
            """
            SELECT c.account_id, c.expires_at FROM account_closings c JOIN accounts a ON a.id = c.account_id
            WHERE c.expires_at <= $1 AND (c.expires_at > $3 OR (c.expires_at = $3 AND c.account_id > $4))
                AND c.kept_at IS NULL AND a.state = 'deactivated' AND a.deactivated_by = 'holder'
            ORDER BY c.expires_at, c.account_id LIMIT $2
            """,
            [
                .time(now), .integer(Int64(limit)), .time(last?.end ?? Timestamp(milliseconds: 0)),
                last.map { .id($0.account) } ?? .blob([]),
            ]
        ).map { Due(account: try $0.id("account_id"), end: try $0.time("expires_at")) }
    }

    package static func remove(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM account_closings WHERE account_id = $1", [.id(account)])
    }
}
