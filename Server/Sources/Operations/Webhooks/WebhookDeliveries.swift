package import Core
internal import Kernel
package import Store

/// An event for one receiver: a row of `webhook_deliveries`.
package struct WebhookDeliveryRecord: Sendable, Hashable {
    package var eventID: UniqueID
    package var endpointID: UniqueID
    package var type: String
    package var subject: UniqueID
    package var position: Int64
    package var body: String
    package var createdAt: Timestamp
    /// The deliveries begun.
    package var attempts: Int64
    /// When another process may take it. No two leases of an event end at the same time, so this is also which lease it is of.
    package var leasedUntil: Timestamp?
    package var expiresAt: Timestamp

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case eventID, endpointID, type, subject, position, body, createdAt, attempts, leasedUntil
        case expiresAt
    }

    static let columns = Column.list()

    /// The `webhook-id`.
    package var webhookID: String { "evt_\(eventID.uuid)" }
}

extension WebhookDeliveryRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            eventID: try row.id(.eventID), endpointID: try row.id(.endpointID), type: try row.text(.type),
            subject: try row.id(.subject), position: try row.integer(.position), body: try row.text(.body),
            createdAt: try row.time(.createdAt), attempts: try row.integer(.attempts),
            leasedUntil: try row.optionalTime(.leasedUntil), expiresAt: try row.time(.expiresAt))
    }
}

/// Reads and writes what receivers have still to hear of. ``BackendEvent/write(sequence:on:)`` adds the rows.
///
/// A row is leased before its delivery, and another process takes it only once the lease has ended. Its followers, of the same subject
/// at the same receiver, are taken after it was delivered or has expired.
package enum WebhookDeliveries {
    /// How long a delivered event can be repeated by ``replay(_:since:now:on:)``.
    package static let repeatable = Duration.days(1)
    /// The rows of one write of a command, so that others do not wait.
    package static let page = 500
    /// The due rows that one statement looks at, so that it stays short where most of them wait for others.
    private static let examined = 256

    /// Of what is due at the same moment, such as events that were postponed together, the oldest comes first: the window must have the
    /// one that all others wait for. The plus sign has SQLite find the rows by their ids, and not by going through all that are due.
    package static let taking = statement(window: "d.due_at, d.event_id", order: "f.due_at, f.event_id")

    /// The same from the other end. What happened last comes first, and not what was last postponed.
    package static let takingNewest = statement(window: "d.due_at DESC, d.event_id DESC", order: "f.event_id DESC")

    private static func statement(window: String, order: String) -> String {
        """
        UPDATE webhook_deliveries SET attempts = attempts + 1, due_at = $3, leased_until = $3
        WHERE endpoint_id = $1 AND delivered_at IS NULL AND +due_at <= $2 AND event_id IN (
            SELECT f.event_id FROM (
                SELECT d.event_id, d.subject, d.position, d.due_at FROM webhook_deliveries d
                WHERE d.endpoint_id = $1 AND d.delivered_at IS NULL AND d.due_at <= $2 AND d.expires_at > $2
                ORDER BY \(window) LIMIT $4) f
            WHERE NOT EXISTS (
                SELECT 1 FROM webhook_deliveries p
                WHERE p.endpoint_id = $1 AND p.subject = f.subject AND p.position < f.position
                    AND p.delivered_at IS NULL AND p.expires_at > $2)
            ORDER BY \(order) LIMIT $5)
        RETURNING \(WebhookDeliveryRecord.columns)
        """
    }

    /// Which of the due events are taken.
    enum End: Sendable {
        case oldest, newest
    }

    /// Takes due events and leases them. One statement, for ``WriteIsolation/guardedStatement``.
    /// - Parameter lease: when another may take them.
    static func take(
        _ end: End = .oldest, of endpoint: UniqueID, now: Timestamp, until lease: Timestamp, limit: Int,
        on connection: any SQLConnection
    ) throws -> [WebhookDeliveryRecord] {
        try connection.query(
            end == .oldest ? taking : takingNewest,
            [
                .id(endpoint), .time(now), .time(lease), .integer(Int64(examined)), .integer(Int64(limit)),
            ]
        ).map(WebhookDeliveryRecord.init)
    }

    /// Records deliveries, by any attempt. One statement.
    static func delivered(
        _ events: [UniqueID], to endpoint: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try change(
            "delivered_at = $2, leased_until = NULL, failure = NULL, expires_at = CASE WHEN expires_at < $3 THEN expires_at ELSE $3 END",
            events, of: endpoint, [.time(now), .time(now + repeatable)], on: connection)
    }

    /// Gives back what was leased and not sent. One statement.
    /// - Parameter lease: of the events. What another process has taken since is left to it.
    static func giveBack(
        _ events: [UniqueID], of endpoint: UniqueID, leasedUntil lease: Timestamp, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try change(
            "attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END, due_at = $2, leased_until = NULL", events,
            of: endpoint, [.time(now), .time(lease)], where: "AND leased_until = $3", on: connection)
    }

    /// Makes due what comes next after delivered events, if it was postponed behind them, and as early as it was at first: those that
    /// wait for it must not come before it. One statement. What was tried before keeps its time.
    static func makeNextDue(
        after events: [UniqueID], of endpoint: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        guard let (ids, placeholders) = list(events, after: 2) else { return }
        try connection.execute(
            """
            UPDATE webhook_deliveries SET due_at = CASE WHEN created_at < $2 THEN created_at ELSE $2 END
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND attempts = 0 AND +due_at > $2 AND event_id IN (
                SELECT (
                    SELECT n.event_id FROM webhook_deliveries n
                    WHERE n.endpoint_id = $1 AND n.subject = s.subject AND n.delivered_at IS NULL AND n.expires_at > $2
                    ORDER BY n.position LIMIT 1)
                FROM webhook_deliveries s WHERE s.endpoint_id = $1 AND s.event_id IN (\(placeholders)))
            """, [.id(endpoint), .time(now)] + ids)
    }

    /// Changes undelivered rows.
    private static func change(
        _ assignments: String, _ events: [UniqueID], of endpoint: UniqueID, _ values: [SQLValue],
        where condition: String = "", on connection: any SQLConnection
    ) throws {
        guard let (ids, placeholders) = list(events, after: values.count + 1) else { return }
        try connection.execute(
            """
            UPDATE webhook_deliveries SET \(assignments)
            WHERE endpoint_id = $1 AND delivered_at IS NULL \(condition) AND event_id IN (\(placeholders))
            """, [.id(endpoint)] + values + ids)
    }

    /// The ids of a statement, and their placeholders. A statement's text is kept prepared, so there is one for each power of two,
    /// filled with the last id.
    private static func list(
        _ events: [UniqueID], after count: Int
    ) -> (ids: [SQLValue], placeholders: String)? {
        guard let last = events.last else { return nil }
        var size = 1
        while size < events.count { size *= 2 }
        let ids = events + Array(repeating: last, count: size - events.count)
        return (ids.map { .id($0) }, ids.indices.map { "$\($0 + count + 1)" }.joined(separator: ", "))
    }

    /// Postpones an event after a failed attempt. One statement.
    /// - Parameters:
    ///   - record: as it was taken. If it was taken again since, or is to be repeated at an operator's wish, nothing changes.
    ///   - failure: the reason, in codes without personal data.
    /// - Returns: whether it was postponed.
    static func postpone(
        _ record: WebhookDeliveryRecord, until dueAt: Timestamp, because failure: String,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE webhook_deliveries SET due_at = $4, leased_until = NULL, failure = $5
            WHERE event_id = $1 AND endpoint_id = $2 AND leased_until = $3 AND delivered_at IS NULL
            """,
            [
                .id(record.eventID), .id(record.endpointID), .time(record.leasedUntil), .time(dueAt), .text(failure),
            ]) == 1
    }

    /// Postpones the events that follow one that was postponed: otherwise they would be looked at in vain. One statement.
    static func postponeFollowers(
        of record: WebhookDeliveryRecord, until dueAt: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE webhook_deliveries SET due_at = $4
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND +due_at < $4 AND event_id IN (
                SELECT f.event_id FROM webhook_deliveries f
                WHERE f.endpoint_id = $1 AND f.subject = $2 AND f.position > $3 AND f.delivered_at IS NULL
                ORDER BY f.position LIMIT $5)
            """,
            [
                .id(record.endpointID), .id(record.subject), .integer(record.position), .time(dueAt),
                .integer(Int64(examined)),
            ])
    }

    /// All rows of a subject wait for the first of them, so that one alone is looked up: with thousands of rows, a look at all that are
    /// before each of them would keep the others from writing for seconds.
    package static let postponingBlocked = """
        UPDATE webhook_deliveries SET due_at = COALESCE((
            SELECT CASE WHEN h.failure IS NOT NULL AND h.due_at > $2 THEN h.due_at ELSE $4 END FROM webhook_deliveries h
            WHERE h.endpoint_id = $1 AND h.subject = webhook_deliveries.subject
                AND h.position < webhook_deliveries.position AND h.delivered_at IS NULL AND h.expires_at > $2
            ORDER BY h.position LIMIT 1), due_at)
        WHERE endpoint_id = $1 AND delivered_at IS NULL AND +due_at <= $2 AND event_id IN (
            SELECT f.event_id FROM (
                SELECT d.event_id, d.subject, d.position, d.due_at FROM webhook_deliveries d
                WHERE d.endpoint_id = $1 AND d.delivered_at IS NULL AND d.due_at <= $2 AND d.expires_at > $2
                ORDER BY d.due_at, d.event_id LIMIT $3) f
            WHERE EXISTS (
                SELECT 1 FROM (
                    SELECT h.due_at, h.failure FROM webhook_deliveries h
                    WHERE h.endpoint_id = $1 AND h.subject = f.subject AND h.position < f.position
                        AND h.delivered_at IS NULL AND h.expires_at > $2
                    ORDER BY h.position LIMIT 1) h
                WHERE f.due_at < $4 OR (h.failure IS NOT NULL AND h.due_at > $2)))
        """

    /// Postpones due events until the failed one that they follow, so that a subject with many of them does not hide the others.
    /// Call it where fewer could be taken than were wanted. One statement.
    /// - Parameter pause: until when those are postponed that follow another one, which is being delivered, or is due and hidden by
    ///   them. `nil` leaves them as they are.
    /// - Returns: the number of events. If there are some, others may be found now.
    static func postponeBlocked(
        of endpoint: UniqueID, now: Timestamp, othersUntil pause: Timestamp?, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            postponingBlocked, [.id(endpoint), .time(now), .integer(Int64(examined)), .time(pause)])
    }

    /// Whether the events that wait after a failure are of more than one subject.
    static func failForSeveral(
        at endpoint: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.query(
            """
            SELECT DISTINCT subject FROM webhook_deliveries
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND failure IS NOT NULL AND expires_at > $2 LIMIT 2
            """, [.id(endpoint), .time(now)]
        ).count == 2
    }

    /// Whether more is due than ``take(of:now:until:limit:on:)`` looks at.
    static func isCrowded(_ endpoint: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            """
            SELECT event_id FROM webhook_deliveries
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND due_at <= $2 AND expires_at > $2
            ORDER BY due_at, event_id LIMIT 1 OFFSET $3
            """, [.id(endpoint), .time(now), .integer(Int64(examined - 1))]) != nil
    }

    /// Makes due what waits for a receiver, a page at a time, except what is in delivery: it would come twice. One statement.
    /// - Returns: the number of events; fewer than `limit` on the last page.
    package static func makeDue(
        of endpoint: UniqueID, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            """
            UPDATE webhook_deliveries SET due_at = $2, attempts = 0
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND (leased_until IS NULL OR leased_until <= $2) AND event_id IN (
                SELECT d.event_id FROM webhook_deliveries d
                WHERE d.endpoint_id = $1 AND d.delivered_at IS NULL AND d.due_at > $2 AND d.expires_at > $2
                    AND (d.leased_until IS NULL OR d.leased_until <= $2)
                ORDER BY d.due_at, d.event_id LIMIT $3)
            """, [.id(endpoint), .time(now), .integer(Int64(limit))])
    }

    /// Has delivered events delivered again, a page at a time. One statement.
    /// - Parameter since: when the events happened.
    /// - Returns: the number of events; fewer than `limit` on the last page.
    package static func replay(
        _ endpoint: UniqueID, since: Timestamp, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> Int {
        try connection.execute(
            """
            UPDATE webhook_deliveries SET due_at = $2, leased_until = NULL, attempts = 0, delivered_at = NULL, expires_at = $4
            WHERE endpoint_id = $1 AND delivered_at IS NOT NULL AND event_id IN (
                SELECT d.event_id FROM webhook_deliveries d
                WHERE d.event_id >= $3 AND d.endpoint_id = $1 AND d.delivered_at IS NOT NULL AND d.expires_at > $2
                ORDER BY d.event_id LIMIT $5)
            """,
            [
                .id(endpoint), .time(now), .blob(UniqueID.prefix(of: since)),
                .time(now + BackendEvent.lifetime), .integer(Int64(limit)),
            ])
    }

    /// Deletes what has waited longest for a receiver, a page at a time. What was delivered expires within a day. One statement.
    /// - Returns: the number of events; fewer than `limit` on the last page.
    package static func discard(of endpoint: UniqueID, limit: Int, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM webhook_deliveries WHERE endpoint_id = $1 AND delivered_at IS NULL AND event_id IN (
                SELECT d.event_id FROM webhook_deliveries d
                WHERE d.endpoint_id = $1 AND d.delivered_at IS NULL ORDER BY d.event_id LIMIT $2)
            """, [.id(endpoint), .integer(Int64(limit))])
    }

    /// Whether more than a number of events wait for a receiver.
    static func waitsMore(
        than limit: Int, for endpoint: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT event_id FROM webhook_deliveries WHERE endpoint_id = $1 AND delivered_at IS NULL
            ORDER BY due_at, event_id LIMIT 1 OFFSET $2
            """, [.id(endpoint), .integer(Int64(limit))]) != nil
    }

    /// Deletes, for all receivers, what has the properties that an app gave to sign-ins of an account that is erased: what waits, and
    /// what could be replayed.
    package static func discard(withPropertiesOf account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM webhook_deliveries WHERE properties_of = $1", [.id(account)])
    }

    /// What waits for a receiver: the number, and since when the oldest of them was written.
    package static func waiting(
        of endpoint: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> (count: Int64, since: Timestamp?) {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(created_at) AS oldest FROM webhook_deliveries
            WHERE endpoint_id = $1 AND delivered_at IS NULL AND expires_at > $2
            """, [.id(endpoint), .time(now)])
        return (try row?.integer("number") ?? 0, try row?.optionalTime("oldest"))
    }
}
