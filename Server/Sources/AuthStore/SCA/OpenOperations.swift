package import AuthCore

extension WalletOperations {
    /// The operations of an account that stand in the way of a backend's next one.
    package struct Shares: Sendable, Hashable {
        /// All of them.
        package var all: Share
        /// Those that come from one session.
        package var ofSession: Share

        static let none = Shares(all: Share(count: 0, firstEnd: nil), ofSession: Share(count: 0, firstEnd: nil))
    }

    /// Some of them.
    package struct Share: Sendable, Hashable {
        /// How many they are.
        package var count: Int64
        /// When the first of them is counted no more, by its time; nil where there is none.
        package var firstEnd: Timestamp?
    }

    /// Counts what a backend has open of an account, neither carried out nor over, in sessions that live: what an ended one had
    /// asked for nobody can agree to or carry out any more.
    /// - Parameters:
    ///   - account: whose operations.
    ///   - session: the session whose share is counted as well.
    ///   - client: the backend's client.
    ///   - now: the present moment.
    ///   - connection: a connection.
    /// - Throws: ``StoreError``.
    package static func open(
        of account: UniqueID, session: UniqueID, client: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*), MIN(w.expires_at), COUNT(CASE WHEN w.session_id = $4 THEN 1 END),
                MIN(CASE WHEN w.session_id = $4 THEN w.expires_at END)
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
                all: Share(count: try row.integer(0), firstEnd: try row.optionalTime(1)),
                ofSession: Share(count: try row.integer(2), firstEnd: try row.optionalTime(3)))
        } ?? Shares.none
    }

    /// Counts what a backend has asked for of an account lately and nobody carried out: also what was refused, taken back or
    /// locked, and what came from a session that has ended. Whoever ends their own sessions, or refuses what they asked for, makes
    /// rows as well.
    /// - Parameters:
    ///   - account: whose operations.
    ///   - session: the session whose share is counted as well.
    ///   - client: the backend's client.
    ///   - period: how far back.
    ///   - now: the present moment.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func unfinished(
        of account: UniqueID, session: UniqueID, client: String, within period: Duration, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*), MIN(w.created_at), COUNT(CASE WHEN w.session_id = $4 THEN 1 END),
                MIN(CASE WHEN w.session_id = $4 THEN w.created_at END)
            FROM wallet_operations w
            WHERE w.account_id = $1 AND w.client_id = $2 AND w.created_at > $3 AND w.state <> 'used'
            """, [.id(account), .text(client), .time(now - period), .id(session)]
        ).map { row in
            Shares(
                all: Share(count: try row.integer(0), firstEnd: try row.optionalTime(1).map { $0 + period }),
                ofSession: Share(count: try row.integer(2), firstEnd: try row.optionalTime(3).map { $0 + period }))
        } ?? Shares.none
    }

    /// Ends the series that an operation began. Harmless to repeat.
    /// - Parameters:
    ///   - operation: the operation's name.
    ///   - client: the backend's client.
    ///   - account: whose series it is.
    ///   - now: when it ends.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
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
