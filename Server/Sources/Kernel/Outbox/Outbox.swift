package import Core
package import Store

/// The channel of a message, chosen when it is written.
package enum OutboxChannel: String, Sendable, Codable, CaseIterable {
    /// The account has no address. The message is kept for the record until it expires.
    case none
    case email
    case sms
    /// To one device of the account.
    case push
}

/// A message to deliver. It is written in the transaction that causes it, and sent outside of any.
package struct OutboxRecord: Sendable, Hashable {
    /// Time-ordered. Receivers recognize repeated deliveries by it.
    package var id: UniqueID
    /// The account concerned, if any. The message is deleted when it is erased.
    package var accountID: UniqueID?
    package var kind: String
    package var channel: OutboxChannel = .email
    /// The content, sealed by the caller; empty once delivered.
    package var sealed: [UInt8]
    package var createdAt: Timestamp
    /// The deliveries begun.
    package var attempts: Int64 = 0
    /// The earliest time of the next delivery.
    package var dueAt: Timestamp
    /// When the message becomes useless. It is deleted then, delivered or not.
    package var expiresAt: Timestamp
    package var deliveredAt: Timestamp?
    /// When its delivery was given up.
    package var failedAt: Timestamp?
    /// The reason of the latest failed attempt.
    package var failure: String?
    /// The account's `locale` when the message was written; `nil` without one.
    package var language: String?

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, accountID, kind, channel, sealed, createdAt, attempts, dueAt, expiresAt, deliveredAt, failedAt, failure
        case language
    }

    static let columns = Column.list()
}

extension OutboxRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), accountID: try row.optionalID(.accountID), kind: try row.text(.kind),
            channel: try row.name(.channel), sealed: try row.blob(.sealed), createdAt: try row.time(.createdAt),
            attempts: try row.integer(.attempts), dueAt: try row.time(.dueAt), expiresAt: try row.time(.expiresAt),
            deliveredAt: try row.optionalTime(.deliveredAt), failedAt: try row.optionalTime(.failedAt),
            failure: try row.optionalText(.failure), language: try row.optionalText(.language))
    }
}

/// Reads and writes the outbox, which delivers each message at least once. It owns the `outbox` table.
package enum Outbox {
    /// Adds a message, in the language that its account has now. Call this in the transaction of the change that it reports.
    package static func post(_ message: OutboxRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO outbox (id, account_id, kind, channel, sealed, created_at, attempts, due_at, expires_at, language)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, (SELECT a.locale FROM accounts a WHERE a.id = $2))
            """,
            [
                .id(message.id), .id(message.accountID), .text(message.kind), .name(message.channel),
                .blob(message.sealed), .time(message.createdAt), .integer(message.attempts), .time(message.dueAt),
                .time(message.expiresAt),
            ])
    }

    /// Whether a message of a channel is due.
    /// - Parameter untried: only those that were never tried.
    package static func isDue(
        _ channel: OutboxChannel, untried: Bool = false, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM outbox WHERE channel = $1 AND delivered_at IS NULL AND failed_at IS NULL AND due_at <= $2
                AND expires_at > $2 \(untried ? "AND attempts = 0" : "") LIMIT 1
            """, [.name(channel), .time(now)]) != nil
    }

    /// Takes due messages and leases them. Those that were never tried come first, since what failed may well fail again.
    /// - Parameters:
    ///   - lease: when another may take them. Until then they have to be delivered or postponed.
    ///   - most: of those that were tried before, within `limit`.
    /// - Returns: the messages, with the attempt counted, in no particular order.
    package static func take(
        _ channel: OutboxChannel, now: Timestamp, until lease: Timestamp, limit: Int, retried most: Int = .max,
        on connection: any SQLConnection
    ) throws -> [OutboxRecord] {
        func take(where condition: String, limit: Int) throws -> [OutboxRecord] {
            guard limit > 0 else { return [] }
            return try connection.query(
                """
                UPDATE outbox SET attempts = attempts + 1, due_at = $2
                WHERE delivered_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND id IN (
                    SELECT o.id FROM outbox o
                    WHERE o.channel = $4 AND o.delivered_at IS NULL AND o.failed_at IS NULL AND o.due_at <= $1
                        AND o.expires_at > $1 AND o.attempts \(condition)
                    ORDER BY o.due_at LIMIT $3)
                RETURNING \(OutboxRecord.columns)
                """, [.time(now), .time(lease), .integer(Int64(limit)), .name(channel)]
            ).map(OutboxRecord.init)
        }
        let untried = try take(where: "= 0", limit: limit)
        return untried + (try take(where: "> 0", limit: min(limit - untried.count, most)))
    }

    /// Takes chosen messages and leases them, as far as they are still due.
    package static func take(
        _ ids: [UniqueID], now: Timestamp, until lease: Timestamp, on connection: any SQLConnection
    ) throws -> [OutboxRecord] {
        try ids.compactMap { id in
            try connection.row(
                """
                UPDATE outbox SET attempts = attempts + 1, due_at = $3
                WHERE id = $1 AND delivered_at IS NULL AND failed_at IS NULL AND due_at <= $2 AND expires_at > $2
                RETURNING \(OutboxRecord.columns)
                """, [.id(id), .time(now), .time(lease)]
            ).map(OutboxRecord.init)
        }
    }

    /// Due messages that were written after another one, oldest first.
    /// - Parameter id: the other one; `nil` for all.
    package static func due(
        _ channel: OutboxChannel, after id: UniqueID?, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [OutboxRecord] {
        // The expression keeps the index by time, which would read all that waits, from being chosen.
        try connection.query(
            """
            SELECT \(OutboxRecord.columns) FROM outbox
            WHERE id > $1 AND channel || '' = $2 AND delivered_at IS NULL AND failed_at IS NULL AND due_at <= $3
                AND expires_at > $3
            ORDER BY id LIMIT $4
            """,
            [
                .blob(id?.bytes ?? [UInt8](repeating: 0, count: 16)), .name(channel), .time(now),
                .integer(Int64(limit)),
            ]
        ).map(OutboxRecord.init)
    }

    /// Records a delivery, by any attempt. The row stays until it expires.
    /// - Parameter content: the content to keep in the row: nothing, except for developers.
    package static func delivered(
        _ message: OutboxRecord, keeping content: [UInt8] = [], now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET delivered_at = $2, sealed = $3, failed_at = NULL, failure = NULL
            WHERE id = $1 AND delivered_at IS NULL
            """, [.id(message.id), .time(now), .blob(content)])
    }

    /// Postpones a message after a failed attempt.
    /// - Parameters:
    ///   - message: as it was taken. If it was taken again since, nothing changes.
    ///   - dueAt: the earliest time of the next attempt.
    ///   - failure: the reason, in codes without personal data.
    package static func postpone(
        _ message: OutboxRecord, until dueAt: Timestamp, because failure: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET due_at = $3, failure = $4
            WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL AND failed_at IS NULL
            """, [.id(message.id), .integer(message.attempts), .time(dueAt), .text(failure)])
    }

    /// Gives up on a message. It stays visible until it expires, and ``retry(_:now:on:)`` resumes its delivery.
    package static func fail(
        _ message: OutboxRecord, because failure: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET failed_at = $3, failure = $4
            WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL AND failed_at IS NULL
            """, [.id(message.id), .integer(message.attempts), .time(now), .text(failure)])
    }

    /// Makes a waiting or failed message due at once.
    /// - Returns: whether there is such a message, neither delivered nor expired.
    package static func retry(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE outbox SET failed_at = NULL, failure = NULL, due_at = $2
            WHERE id = $1 AND channel <> 'none' AND delivered_at IS NULL AND expires_at > $2
            """, [.id(id), .time(now)]) == 1
    }

    /// Makes a delayed message due, because the event it warns of has happened.
    package static func hasten(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE outbox SET due_at = $2 WHERE id = $1 AND attempts = 0 AND due_at > $2", [.id(id), .time(now)])
    }

    /// Withdraws a message whose delivery has not begun, because the event it warns of did not happen.
    package static func withdraw(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM outbox WHERE id = $1 AND attempts = 0", [.id(id)])
    }

    /// Drops a message that was taken, because there is no longer anything to tell.
    package static func drop(_ message: OutboxRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM outbox WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL",
            [.id(message.id), .integer(message.attempts)])
    }

    /// Messages in any state, newest first.
    package static func recent(limit: Int, on connection: any SQLConnection) throws -> [OutboxRecord] {
        try connection.query(
            "SELECT \(OutboxRecord.columns) FROM outbox ORDER BY id DESC LIMIT $1", [.integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }

    /// Messages to people in any state, newest first. Excluded are messages with neither an account nor a channel: they are written
    /// for unknown names, so that the timing does not reveal which names exist.
    package static func recentToPeople(limit: Int, on connection: any SQLConnection) throws -> [OutboxRecord] {
        try connection.query(
            """
            SELECT \(OutboxRecord.columns) FROM outbox WHERE account_id IS NOT NULL OR channel <> 'none'
            ORDER BY id DESC LIMIT $1
            """,
            [.integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }

    /// The backlog of a channel: the number of due messages, since when the oldest of them has waited, and the number
    /// of those not due yet, such as a warning that may still be withdrawn. A message that failed and is retried later
    /// counts as waiting since it was written.
    package static func waiting(
        in channel: OutboxChannel, now: Timestamp, on connection: any SQLConnection
    ) throws -> (count: Int64, since: Timestamp?, later: Int64) {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(due) AS oldest, COUNT(*) - COUNT(due) AS later FROM (
                SELECT CASE WHEN attempts > 0 THEN created_at WHEN due_at <= $2 THEN due_at END AS due FROM outbox
                WHERE channel = $1 AND delivered_at IS NULL AND failed_at IS NULL AND expires_at > $2) AS messages
            """, [.name(channel), .time(now)])
        let later = try row?.integer("later") ?? 0
        return (try (row?.integer("number") ?? 0) - later, try row?.optionalTime("oldest"), later)
    }
}
