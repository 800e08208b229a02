public import AuthCore

/// Something that an account's holder or an auditor may ask about later.
public struct SecurityEventRecord: Sendable, Hashable {
    /// Its id, time-ordered.
    public var id: UniqueID
    /// The account it concerns, if any.
    public var accountID: UniqueID?
    /// The client it came through, if any.
    public var clientID: String?
    /// What kind of event.
    public var kind: String
    /// When it happened.
    public var occurredAt: Timestamp
    /// The circumstances, JSON. What of it is personal (network address, user agent) goes when the account is erased.
    public var details: String

    /// Each parameter is the property of its name.
    public init(
        id: UniqueID, accountID: UniqueID?, clientID: String?, kind: String, occurredAt: Timestamp, details: String
    ) {
        self.id = id
        self.accountID = accountID
        self.clientID = clientID
        self.kind = kind
        self.occurredAt = occurredAt
        self.details = details
    }
}

/// The record of security events: only ever added to, but for the circumstances of an account that is erased.
package enum SecurityEvents {
    /// Adds an event, in the transaction of what it tells.
    package static func append(_ event: SecurityEventRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO security_events (id, account_id, client_id, kind, occurred_at, details)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                .id(event.id), .id(event.accountID), .optional(event.clientID), .text(event.kind),
                .time(event.occurredAt), .text(event.details),
            ])
    }

    /// The events of an account, the newest first.
    ///
    /// - Parameters:
    ///   - account: whose events.
    ///   - before: the last id of the page before, or `nil` for the first page.
    ///   - limit: the page's size.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func list(
        of account: UniqueID, before: UniqueID? = nil, limit: Int, on connection: any SQLConnection
    ) throws -> [SecurityEventRecord] {
        try connection.query(
            """
            SELECT id, account_id, client_id, kind, occurred_at, details FROM security_events
            WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
            """,
            [
                .id(account), before.map { .id($0) } ?? .blob([UInt8](repeating: 0xFF, count: 17)),
                .integer(Int64(limit)),
            ]
        ).map(record)
    }

    /// The newest events of all, the newest first.
    package static func recent(limit: Int, on connection: any SQLConnection) throws -> [SecurityEventRecord] {
        try connection.query(
            """
            SELECT id, account_id, client_id, kind, occurred_at, details FROM security_events ORDER BY id DESC LIMIT $1
            """, [.integer(Int64(limit))]
        ).map(record)
    }

    private static func record(_ row: SQLRow) throws -> SecurityEventRecord {
        SecurityEventRecord(
            id: try row.id(0), accountID: try row.optionalID(1), clientID: try row.optionalText(2),
            kind: try row.text(3), occurredAt: try row.time(4), details: try row.text(5))
    }
}
