public import AuthCore

/// A message that waits to be delivered: written in the transaction that caused it, sent outside of any.
public struct OutboxRecord: Sendable, Hashable {
    /// Its id, time-ordered; receivers tell repeated deliveries apart by it.
    public var id: UniqueID
    /// The account it concerns, if any; erased with it.
    public var accountID: UniqueID?
    /// What kind of message.
    public var kind: String
    /// The content, sealed by the caller.
    public var sealed: [UInt8]
    /// When it was written.
    public var createdAt: Timestamp
    /// How often its delivery was begun.
    public var attempts: Int64
    /// Not to be sent before.
    public var dueAt: Timestamp
    /// Of no use after; swept then, delivered or not.
    public var expiresAt: Timestamp

    /// Each parameter is the property of its name.
    public init(
        id: UniqueID, accountID: UniqueID?, kind: String, sealed: [UInt8], createdAt: Timestamp, attempts: Int64 = 0,
        dueAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.kind = kind
        self.sealed = sealed
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
        self.expiresAt = expiresAt
    }

    static let columns = "id, account_id, kind, sealed, created_at, attempts, due_at, expires_at"

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), accountID: try row.optionalID(1), kind: try row.text(2), sealed: try row.blob(3),
            createdAt: try row.time(4), attempts: try row.integer(5), dueAt: try row.time(6),
            expiresAt: try row.time(7))
    }
}

/// The facts of the outbox: delivery at least once.
package enum Outbox {
    /// Writes a message, in the transaction of what it tells.
    package static func post(_ message: OutboxRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            "INSERT INTO outbox (\(OutboxRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            [
                .id(message.id), .id(message.accountID), .text(message.kind), .blob(message.sealed),
                .time(message.createdAt), .integer(message.attempts), .time(message.dueAt),
                .time(message.expiresAt),
            ])
    }

    /// Takes messages that are due, and lets nobody else take them before a time.
    ///
    /// - Parameters:
    ///   - now: the present.
    ///   - lease: until when the taker has to have delivered or postponed them; a taker that died loses them then.
    ///   - limit: at most so many.
    ///   - connection: the connection of a write.
    /// - Returns: the messages, with the attempt counted; in no certain order.
    /// - Throws: ``StoreError``.
    package static func take(
        now: Timestamp, until lease: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [OutboxRecord] {
        try connection.query(
            """
            UPDATE outbox SET attempts = attempts + 1, due_at = $2
            WHERE delivered_at IS NULL AND due_at <= $1 AND id IN (
                SELECT o.id FROM outbox o WHERE o.delivered_at IS NULL AND o.due_at <= $1 AND o.expires_at > $1
                ORDER BY o.due_at LIMIT $3)
            RETURNING \(OutboxRecord.columns)
            """, [.time(now), .time(lease), .integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }

    /// Records a delivery; the content is dropped, the row stays until it expires.
    package static func delivered(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE outbox SET delivered_at = $2, sealed = $3 WHERE id = $1 AND delivered_at IS NULL",
            [.id(id), .time(now), .blob([])])
    }

    /// Lets a message be taken again at a time, after a delivery that failed.
    package static func postpone(_ id: UniqueID, until dueAt: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE outbox SET due_at = $2 WHERE id = $1 AND delivered_at IS NULL", [.id(id), .time(dueAt)])
    }

    /// Messages as they stand, delivered ones included, the newest first; for the sandbox's page.
    package static func recent(limit: Int, on connection: any SQLConnection) throws -> [OutboxRecord] {
        try connection.query(
            "SELECT \(OutboxRecord.columns) FROM outbox ORDER BY id DESC LIMIT $1", [.integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }
}
