internal import Core
internal import Store
internal import WalletAuthWire

/// The end of a session, of which the client that holds its ID token hears (OpenID Connect Back-Channel Logout 1.0).
///
/// It is delivered as a webhook's event is, to the client's back-channel logout URI: durable, and repeated until it is accepted. What is
/// posted is a logout token, signed at each attempt, since it is good for minutes.
package enum LogoutNotice {
    /// Writes the notice of a session that this transaction ended. Without a receiver it looks into one index.
    static func write(
        endOf session: UniqueID, of account: UniqueID, at client: String, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        // Made of the session's id: the transaction may run again, and has no randomness.
        guard let id = UniqueID.timeOrdered(now, Digests.of("logout-notice", session.bytes).prefix(16)) else {
            throw InvariantViolation()
        }
        var body = JSONObject()
        body.set("sub", account.uuid)
        body.set("sid", session.uuid)
        try connection.execute(
            """
            INSERT INTO webhook_deliveries (event_id, endpoint_id, type, subject, position, body, created_at, attempts,
                due_at, expires_at)
            SELECT $1, e.id, $2, $3, 0, $4, $5, 0, $5, $6 FROM webhook_endpoints e
            WHERE e.client_id = $7 AND e.kinds = $8
            """,
            [
                // What a client refuses counts by person: one with many sessions must not make its endpoint look broken.
                .id(id), .name(WebhookNotice.logout), .id(account), .text(JSONValue.object(body).text), .time(now),
                .time(now + BackendEvent.lifetime), .text(client), .text(WebhookNotice.logout.stored),
            ])
    }
}
