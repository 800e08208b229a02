package import Core
package import Store

extension WalletOperations {
    /// The number of an account's operations, for the limits of the next one.
    package struct Shares: Sendable, Hashable {
        package var all: Share
        /// Those from one session.
        package var ofSession: Share

        static let none = Shares(all: Share(count: 0, firstEnd: nil), ofSession: Share(count: 0, firstEnd: nil))
    }

    package struct Share: Sendable, Hashable {
        package var count: Int64
        /// When the first of them is no longer counted because of its age; nil if there is none.
        package var firstEnd: Timestamp?
    }

    /// Counts a backend's open operations of an account in living sessions. An operation of an ended session can no
    /// longer be agreed to or carried out.
    /// - Parameter session: the session whose share is counted as well.
    package static func open(
        of account: UniqueID, session: UniqueID, client: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(w.expires_at) AS first_end,
                COUNT(CASE WHEN w.session_id = $4 THEN 1 END) AS session_number,
                MIN(CASE WHEN w.session_id = $4 THEN w.expires_at END) AS session_first_end
            FROM wallet_operations w
            WHERE w.account_id = $1 AND w.client_id = $2 AND w.expires_at > $3
                AND w.state IN ('open', 'challenged', 'verified')
                AND EXISTS (
                    SELECT 1 FROM sessions s
                    WHERE s.id = w.session_id AND s.revoked_at IS NULL AND s.expires_at > $3 AND s.security_version =
                        (SELECT a.security_version FROM accounts a WHERE a.id = w.account_id))
            """, [.id(account), .text(client), .time(now), .id(session)]
        ).map { row in
            Shares(
                all: Share(count: try row.integer("number"), firstEnd: try row.optionalTime("first_end")),
                ofSession: Share(
                    count: try row.integer("session_number"), firstEnd: try row.optionalTime("session_first_end")))
        } ?? Shares.none
    }

    /// Counts a backend's recent operations of an account that were not carried out, including those refused,
    /// withdrawn, locked or from ended sessions: each of them is a row, too.
    /// - Parameters:
    ///   - session: the session whose share is counted as well.
    ///   - period: how far back to count.
    package static func unfinished(
        of account: UniqueID, session: UniqueID, client: String, within period: Duration, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(w.created_at) AS first_created_at,
                COUNT(CASE WHEN w.session_id = $4 THEN 1 END) AS session_number,
                MIN(CASE WHEN w.session_id = $4 THEN w.created_at END) AS session_first_created_at
            FROM wallet_operations w
            WHERE w.account_id = $1 AND w.client_id = $2 AND w.created_at > $3 AND w.state <> 'used'
            """, [.id(account), .text(client), .time(now - period), .id(session)]
        ).map { row in
            Shares(
                all: Share(
                    count: try row.integer("number"),
                    firstEnd: try row.optionalTime("first_created_at").map { $0 + period }),
                ofSession: Share(
                    count: try row.integer("session_number"),
                    firstEnd: try row.optionalTime("session_first_created_at").map { $0 + period }))
        } ?? Shares.none
    }

    /// Ends the series that an operation began. Harmless to repeat.
    /// - Parameter operation: the backend's id of the operation.
    package static func endSeries(
        _ operation: String, client: String, account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE wallet_operations SET ended_at = $4
            WHERE client_id = $1 AND operation_id = $2 AND account_id = $3 AND ended_at IS NULL
            """, [.text(client), .text(operation), .id(account), .time(now)])
    }
}
