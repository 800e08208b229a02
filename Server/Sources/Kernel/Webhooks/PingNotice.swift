package import Core
package import Store

/// The decision of a person, of which the client hears that named them and waits (OpenID CIBA Core 1.0 §10.2).
///
/// It is delivered as a webhook's event is, to the client's notification endpoint. What is posted, with the token of the request, is read
/// at each attempt: neither is kept in the delivery.
package enum PingNotice {
    /// Writes the notice of a request on which this transaction decided. Without a receiver it looks into one index.
    /// - Parameters:
    ///   - request: its row.
    ///   - end: of the request: later, the client has no use for it.
    package static func write(
        _ request: UniqueID, of client: String, until end: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws {
        // Made of the request's id: the transaction may run again, and has no randomness.
        guard let id = UniqueID.timeOrdered(now, Digests.of("ping-notice", request.bytes).prefix(16)) else {
            throw InvariantViolation()
        }
        try connection.execute(
            """
            INSERT INTO webhook_deliveries (event_id, endpoint_id, type, subject, position, body, created_at, attempts,
                due_at, expires_at)
            SELECT $1, e.id, $2, $3, 0, '{}', $4, 0, $4, $5 FROM webhook_endpoints e
            WHERE e.client_id = $6 AND e.kinds = $7
            """,
            [
                .id(id), .name(WebhookNotice.ping), .id(request), .time(now), .time(end), .text(client),
                .text(WebhookNotice.ping.stored),
            ])
    }
}
