package import AuthCore

/// The facts of the outbox: delivery at least once.
package enum Outbox {
    /// Writes a message, in the transaction of what it tells.
    package static func post(_ message: OutboxRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO outbox (id, account_id, kind, channel, sealed, created_at, attempts, due_at, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """,
            [
                .id(message.id), .id(message.accountID), .text(message.kind), .name(message.channel),
                .blob(message.sealed), .time(message.createdAt), .integer(message.attempts), .time(message.dueAt),
                .time(message.expiresAt),
            ])
    }

    /// Whether a message of a channel could be taken now.
    package static func isDue(
        _ channel: OutboxChannel, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM outbox WHERE channel = $1 AND delivered_at IS NULL AND failed_at IS NULL AND due_at <= $2
                AND expires_at > $2 LIMIT 1
            """, [.name(channel), .time(now)]) != nil
    }

    /// Takes messages that are due, and lets nobody else take them before a time.
    ///
    /// - Parameters:
    ///   - channel: those of one channel.
    ///   - now: the present.
    ///   - lease: until when the taker has to have delivered or postponed them; a taker that died loses them then.
    ///   - limit: at most so many.
    ///   - connection: the connection of a write.
    /// - Returns: the messages, with the attempt counted; in no certain order.
    /// - Throws: ``StoreError``.
    package static func take(
        _ channel: OutboxChannel, now: Timestamp, until lease: Timestamp, limit: Int,
        on connection: any SQLConnection
    ) throws -> [OutboxRecord] {
        try connection.query(
            """
            UPDATE outbox SET attempts = attempts + 1, due_at = $2
            WHERE delivered_at IS NULL AND failed_at IS NULL AND due_at <= $1 AND id IN (
                SELECT o.id FROM outbox o
                WHERE o.channel = $4 AND o.delivered_at IS NULL AND o.failed_at IS NULL AND o.due_at <= $1
                    AND o.expires_at > $1
                ORDER BY o.due_at LIMIT $3)
            RETURNING \(OutboxRecord.columns)
            """, [.time(now), .time(lease), .integer(Int64(limit)), .name(channel)]
        ).map(OutboxRecord.init)
    }

    /// Records a delivery, by whoever's attempt; the row stays until it expires.
    ///
    /// - Parameters:
    ///   - message: what was delivered.
    ///   - content: what the row keeps of the content; nothing, unless a developer wants to see it.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func delivered(
        _ message: OutboxRecord, keeping content: [UInt8] = [], now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET delivered_at = $2, sealed = $3, failed_at = NULL, failure = NULL
            WHERE id = $1 AND delivered_at IS NULL
            """, [.id(message.id), .time(now), .blob(content)])
    }

    /// Lets a message be taken again at a time, after an attempt that failed.
    ///
    /// - Parameters:
    ///   - message: as it was taken: whoever took it since decides for themselves.
    ///   - dueAt: not before.
    ///   - failure: why; codes, and nothing of the person.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func postpone(
        _ message: OutboxRecord, until dueAt: Timestamp, because failure: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET due_at = $3, failure = $4
            WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL AND failed_at IS NULL
            """, [.id(message.id), .integer(message.attempts), .time(dueAt), .text(failure)])
    }

    /// Gives a message up; it stays to be seen until it expires, and ``retry(_:now:on:)`` takes it up again.
    package static func fail(
        _ message: OutboxRecord, because failure: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE outbox SET failed_at = $3, failure = $4
            WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL AND failed_at IS NULL
            """, [.id(message.id), .integer(message.attempts), .time(now), .text(failure)])
    }

    /// Makes a message that waits, or was given up, due at once.
    ///
    /// - Returns: whether there is one that is not delivered and still of use.
    /// - Throws: ``StoreError``.
    package static func retry(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE outbox SET failed_at = NULL, failure = NULL, due_at = $2
            WHERE id = $1 AND channel <> 'none' AND delivered_at IS NULL AND expires_at > $2
            """, [.id(id), .time(now)]) == 1
    }

    /// Makes a message due that was to wait: what it warns of has come to pass.
    package static func hasten(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE outbox SET due_at = $2 WHERE id = $1 AND attempts = 0 AND due_at > $2", [.id(id), .time(now)])
    }

    /// Takes a message back whose delivery was not begun: what it warns of did not come to pass.
    package static func withdraw(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM outbox WHERE id = $1 AND attempts = 0", [.id(id)])
    }

    /// Messages as they stand, delivered ones included, the newest first.
    package static func recent(limit: Int, on connection: any SQLConnection) throws -> [OutboxRecord] {
        try connection.query(
            "SELECT \(OutboxRecord.columns) FROM outbox ORDER BY id DESC LIMIT $1", [.integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }

    /// Messages to people as they stand, the newest first. What is written where nobody has the name that was typed, so that
    /// it takes as long, is to nobody and left out.
    package static func recentToPeople(limit: Int, on connection: any SQLConnection) throws -> [OutboxRecord] {
        try connection.query(
            "SELECT \(OutboxRecord.columns) FROM outbox WHERE account_id IS NOT NULL ORDER BY id DESC LIMIT $1",
            [.integer(Int64(limit))]
        ).map(OutboxRecord.init)
    }

    /// What waits in a channel: how many messages whose time has come and since when the oldest of these has waited, and how many
    /// whose time has not, such as a warning that may yet be taken back. One that failed and is tried again later waits since it was
    /// written.
    package static func waiting(
        in channel: OutboxChannel, now: Timestamp, on connection: any SQLConnection
    ) throws -> (count: Int64, since: Timestamp?, later: Int64) {
        let row = try connection.row(
            """
            SELECT COUNT(*), MIN(due), COUNT(*) - COUNT(due) FROM (
                SELECT CASE WHEN attempts > 0 THEN created_at WHEN due_at <= $2 THEN due_at END AS due FROM outbox
                WHERE channel = $1 AND delivered_at IS NULL AND failed_at IS NULL AND expires_at > $2) AS messages
            """, [.name(channel), .time(now)])
        let later = try row?.integer(2) ?? 0
        return (try (row?.integer(0) ?? 0) - later, try row?.optionalTime(1), later)
    }
}
