internal import Core
package import Store
internal import WalletAuthWire

/// The end of a session, of which the client that holds its ID token hears (OpenID Connect Back-Channel Logout 1.0).
///
/// It is an event of a webhook that the client's back-channel logout URI stands for: durable, repeated until it is accepted, and posted as
/// a logout token. It is signed at each attempt, since such a token is good for minutes.
package enum LogoutNotice {
    /// The type of its row, and what such a receiver has in place of kinds.
    package static let type = "logout"

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
                .id(id), .text(type), .id(session), .text(JSONValue.object(body).text), .time(now),
                .time(now + BackendEvent.lifetime), .text(client), .text(" \(type) "),
            ])
    }
}
