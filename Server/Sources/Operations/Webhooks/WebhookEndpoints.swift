package import Core
package import Kernel
internal import Outbound
package import Store

/// A receiver of webhooks: a row of `webhook_endpoints`.
package struct WebhookEndpoint: Sendable, Hashable {
    /// Time-ordered.
    package var id: UniqueID
    /// Exactly one of client and brand is set.
    package var clientID: String?
    package var brandID: String?
    package var url: String
    package var kinds: [WebhookKind]
    /// What it hears of in place of events.
    package var notice: WebhookNotice?
    /// Sealed.
    package var secret: [UInt8]
    /// The secret before this one, sealed, while both sign.
    package var former: Former?
    /// The first failure that no success followed.
    package var failingSince: Timestamp?
    /// The reason of the latest failure, in codes.
    package var failure: String?
    /// When it was switched off.
    package var disabledAt: Timestamp?
    /// The events that were dropped since it was last switched on, because too many waited.
    package var dropped: Int64 = 0
    package var droppedAt: Timestamp?
    package var createdAt: Timestamp

    package struct Former: Sendable, Hashable {
        package var secret: [UInt8]
        package var endsAt: Timestamp
    }

    /// The receivers of one client, or of one brand.
    package static let limit = 10
    /// The events that may wait for one receiver. The oldest of more are dropped.
    package static let mostWaiting = 100_000
    /// After this time without a success, a receiver is switched off.
    package static let patience = Duration.days(3)

    package enum State: String, Sendable {
        case active
        /// Its latest delivery failed.
        case unreachable = "webhook_unreachable"
        /// It was switched off. Its events wait until they expire.
        case disabled = "webhook_disabled"
    }

    package var state: State {
        if disabledAt != nil { return .disabled }
        return failingSince == nil ? .active : .unreachable
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, clientID, brandID, url, kinds, secret, formerSecret, formerSecretEndsAt, failingSince, failure
        case disabledAt, dropped, droppedAt, createdAt
    }

    static let columns = Column.list()
}

extension WebhookEndpoint {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), clientID: try row.optionalText(.clientID), brandID: try row.optionalText(.brandID),
            url: try row.text(.url),
            // A kind that only a later program knows is left out.
            kinds: try row.text(.kinds).split(separator: " ").compactMap { WebhookKind(rawValue: String($0)) },
            secret: try row.blob(.secret), failingSince: try row.optionalTime(.failingSince),
            failure: try row.optionalText(.failure), disabledAt: try row.optionalTime(.disabledAt),
            dropped: try row.integer(.dropped), droppedAt: try row.optionalTime(.droppedAt),
            createdAt: try row.time(.createdAt))
        if let secret = try row.optionalBlob(.formerSecret), let endsAt = try row.optionalTime(.formerSecretEndsAt) {
            former = Former(secret: secret, endsAt: endsAt)
        }
        let stored = try row.text(.kinds)
        notice = WebhookNotice.allCases.first { $0.stored == stored }
    }

    fileprivate var storedKinds: String {
        notice?.stored ?? " " + kinds.map(\.rawValue).joined(separator: " ") + " "
    }
}

/// The secrets of receivers.
package enum WebhookField: String, SealedField {
    case secret = "webhook_endpoints|secret"
    case formerSecret = "webhook_endpoints|former_secret"

    package var purpose: KeyPurpose { .provider }
}

extension Vault<WebhookField> {
    /// The signatures for a receiver at a time: by its secret, and by the one before it while a rotation lasts.
    func signatures(of endpoint: WebhookEndpoint, at now: Timestamp) -> [WebhookSignature] {
        var secrets = [open(endpoint.secret, .secret, of: endpoint.id)]
        if let former = endpoint.former, now < former.endsAt {
            secrets.append(open(former.secret, .formerSecret, of: endpoint.id))
        }
        return secrets.compactMap { $0.flatMap(WebhookSignature.init(secret:)) }
    }
}

/// Reads and writes the receivers. It owns the `webhook_endpoints` table.
package enum WebhookEndpoints {
    /// - Returns: whether it was added. A client or brand has a limited number.
    package static func add(_ endpoint: WebhookEndpoint, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO webhook_endpoints (id, client_id, brand_id, url, kinds, secret, created_at)
            SELECT $1, CAST($2 AS TEXT), CAST($3 AS TEXT), $4, $5, $6, $7
            WHERE (SELECT COUNT(*) FROM webhook_endpoints e WHERE e.client_id = $2 OR e.brand_id = $3) < $8
            """,
            [
                .id(endpoint.id), .optional(endpoint.clientID), .optional(endpoint.brandID), .text(endpoint.url),
                .text(endpoint.storedKinds), .blob(endpoint.secret), .time(endpoint.createdAt),
                .integer(Int64(WebhookEndpoint.limit)),
            ]) == 1
    }

    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> WebhookEndpoint? {
        try connection.row(
            "SELECT \(WebhookEndpoint.columns) FROM webhook_endpoints WHERE id = $1", [.id(id)]
        ).map(WebhookEndpoint.init)
    }

    /// The URIs for a notice, by client.
    static func uris(for notice: WebhookNotice, on connection: any SQLConnection) throws -> [String: String] {
        let rows = try connection.query(
            "SELECT client_id, url FROM webhook_endpoints WHERE kinds = $1 AND client_id IS NOT NULL",
            [.text(notice.stored)])
        return Dictionary(try rows.map { (try $0.text("client_id"), try $0.text("url")) }) { first, _ in first }
    }

    /// Gives a client the URI of an endpoint, for the notice of the endpoint. What waits for a former one is posted there.
    /// - Returns: whether it was set. A client has a limited number of receivers.
    static func setURI(_ endpoint: WebhookEndpoint, on connection: any SQLConnection) throws -> Bool {
        let changed = try connection.execute(
            """
            UPDATE webhook_endpoints SET url = $3, disabled_at = NULL, failing_since = NULL, failure = NULL,
                dropped = 0, dropped_at = NULL
            WHERE client_id = $1 AND kinds = $2
            """, [.optional(endpoint.clientID), .text(endpoint.storedKinds), .text(endpoint.url)])
        return try changed > 0 || add(endpoint, on: connection)
    }

    /// Takes a client's URI for a notice away. What waits for it expires.
    static func removeURI(
        for notice: WebhookNotice, ofClient client: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "DELETE FROM webhook_endpoints WHERE client_id = $1 AND kinds = $2",
            [.text(client), .text(notice.stored)])
    }

    /// A page of all receivers, in the order of their ids.
    package static func list(
        after id: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [WebhookEndpoint] {
        try connection.query(
            "SELECT \(WebhookEndpoint.columns) FROM webhook_endpoints WHERE id > $1 ORDER BY id LIMIT $2",
            [id.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map(WebhookEndpoint.init)
    }

    /// The receivers that are not switched off and have an event that is due.
    static func due(
        now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [(id: UniqueID, isFailing: Bool)] {
        try connection.query(
            """
            SELECT e.id AS id, e.failing_since AS failing_since FROM webhook_endpoints e
            WHERE e.disabled_at IS NULL AND EXISTS (
                SELECT 1 FROM webhook_deliveries d
                WHERE d.endpoint_id = e.id AND d.delivered_at IS NULL AND d.due_at <= $1 AND d.expires_at > $1)
            ORDER BY e.id LIMIT $2
            """, [.time(now), .integer(Int64(limit))]
        ).map { (id: try $0.id("id"), isFailing: try $0.optionalTime("failing_since") != nil) }
    }

    /// The receivers for which more than a number of events wait.
    static func crowded(byMoreThan limit: Int, on connection: any SQLConnection) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT e.id AS id FROM webhook_endpoints e
            WHERE (
                SELECT d.event_id FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.delivered_at IS NULL
                ORDER BY d.due_at, d.event_id LIMIT 1 OFFSET $1) IS NOT NULL
            ORDER BY e.id
            """, [.integer(Int64(limit))]
        ).map { try $0.id("id") }
    }

    /// The events of a receiver that are counted at most: the count is repeated every few seconds, and more than that is an outage.
    private static let counted = 10_000

    /// What waits for all receivers, up to 10,000 events for each, and how many of them are switched off.
    /// - Parameter limit: of the events of one receiver.
    static func backlog(
        now: Timestamp, countingTo limit: Int = counted, on connection: any SQLConnection
    ) throws -> WebhookActivity.Backlog {
        // By receiver, since there is an index of what waits for each. Most rows are of what was delivered, and the
        // plus sign keeps SQLite from going through them by their ends.
        let waiting = try connection.row(
            """
            SELECT CAST(COALESCE(SUM(n.number), 0) AS BIGINT) AS number FROM (
                SELECT (
                    SELECT COUNT(*) FROM (
                        SELECT d.event_id FROM webhook_deliveries d
                        WHERE d.endpoint_id = e.id AND d.delivered_at IS NULL AND +d.expires_at > $1 LIMIT $2) w
                    ) AS number
                FROM webhook_endpoints e) n
            """, [.time(now), .integer(Int64(limit))])
        let disabled = try connection.row(
            "SELECT COUNT(*) AS number FROM webhook_endpoints WHERE disabled_at IS NOT NULL", [])
        return WebhookActivity.Backlog(
            waiting: try waiting?.integer("number") ?? 0, disabled: try disabled?.integer("number") ?? 0)
    }

    /// Removes a receiver. What waits for it is left to ``WebhookDeliveries/discard(of:limit:on:)``.
    package static func remove(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM webhook_endpoints WHERE id = $1", [.id(id)]) == 1
    }

    /// Removes the receivers of a client that is deleted. What waits for them expires.
    package static func removeAll(ofClient client: String, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM webhook_endpoints WHERE client_id = $1", [.text(client)])
    }

    /// Replaces the secrets.
    /// - Parameter seen: as it was read. If its secret was replaced since, nothing changes.
    package static func setSecrets(
        _ endpoint: WebhookEndpoint, seen: WebhookEndpoint, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE webhook_endpoints SET secret = $3, former_secret = $4, former_secret_ends_at = $5
            WHERE id = $1 AND secret = $2
            """,
            [
                .id(endpoint.id), .blob(seen.secret), .blob(endpoint.secret), .optional(endpoint.former?.secret),
                .time(endpoint.former?.endsAt),
            ]) == 1
    }

    /// Records that deliveries fail, and why. A failure that the row already has needs no write.
    static func noteFailure(
        _ id: UniqueID, _ reason: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE webhook_endpoints SET failing_since = COALESCE(failing_since, $2), failure = $3
            WHERE id = $1 AND disabled_at IS NULL AND (failing_since IS NULL OR failure <> $3)
            """, [.id(id), .time(now), .text(reason)])
    }

    /// Records that a delivery succeeded.
    static func noteSuccess(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE webhook_endpoints SET failing_since = NULL, failure = NULL WHERE id = $1 AND disabled_at IS NULL",
            [.id(id)])
    }

    /// Switches a receiver off.
    /// - Parameter seen: since when it fails. If a delivery succeeded since it was read, nothing changes.
    static func disable(
        _ id: UniqueID, failingSince seen: Timestamp, because reason: String, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE webhook_endpoints SET disabled_at = $3, failure = $4, failing_since = COALESCE(failing_since, $2)
            WHERE id = $1 AND disabled_at IS NULL AND COALESCE(failing_since, $2) <= $2
            """, [.id(id), .time(seen), .time(now), .text(reason)]) == 1
    }

    /// Switches a receiver on, as if it had never failed.
    package static func enable(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE webhook_endpoints SET disabled_at = NULL, failing_since = NULL, failure = NULL, dropped = 0,
                dropped_at = NULL
            WHERE id = $1
            """, [.id(id)])
    }

    /// Records that events of a receiver were dropped.
    static func noteDropped(
        _ count: Int, of id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE webhook_endpoints SET dropped = dropped + $2, dropped_at = $3 WHERE id = $1",
            [.id(id), .integer(Int64(count)), .time(now)])
    }
}
