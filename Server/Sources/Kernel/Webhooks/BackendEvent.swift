package import Core
package import Store
package import WalletAuthWire

/// An event as receivers of webhooks hear of it: ids, states and codes, and nothing about a person that the receiver does not have.
package struct BackendEvent: Sendable {
    /// Of the entry in the audit log. Receivers recognize a repetition by it.
    package var id: UniqueID
    package var kind: WebhookKind
    /// The audit log's name for it, such as `transaction.signed`.
    package var type: String
    /// Receivers of this client hear of it.
    package var clientID: String?
    /// Receivers of this brand hear of it; `nil` for the brand of ``accountID``.
    package var brandID: String?
    /// Without it and ``brandID``, no brand's receivers hear of it.
    package var accountID: UniqueID?
    /// What the event is about. A receiver hears of one subject's events in their order.
    package var subject: UniqueID
    /// The place among the events of the subject; `nil` for the place in the audit log's chain, which an account's events share.
    package var position: Int64?
    package var occurredAt: Timestamp
    /// Without `clientId`, which every event has that came through a client.
    package var data: JSONObject
    /// The account whose app's own words ``data`` has. Its erasure takes the event along.
    package var propertiesOf: UniqueID?

    package init(
        id: UniqueID, kind: WebhookKind, type: String, clientID: String?, brandID: String? = nil,
        accountID: UniqueID? = nil, subject: UniqueID, position: Int64? = nil, occurredAt: Timestamp, data: JSONObject
    ) {
        self.id = id
        self.kind = kind
        self.type = type
        self.clientID = clientID
        self.brandID = brandID
        self.accountID = accountID
        self.subject = subject
        self.position = position
        self.occurredAt = occurredAt
        self.data = data
    }

    /// The same event as the receivers of one client hear of it, and those of no brand.
    func heard(onlyBy client: String) -> BackendEvent {
        var event = self
        event.clientID = client
        event.brandID = nil
        event.accountID = nil
        return event
    }

    /// How long a receiver that does not answer can still get it.
    package static let lifetime = Duration.days(7)

    /// The bytes that are posted and signed: the same at each attempt.
    package var body: String {
        var data = data
        data.set("clientId", clientID)
        var envelope = JSONObject()
        envelope.set("type", type)
        envelope.set("timestamp", occurredAt.text)
        envelope["data"] = .object(data)
        return JSONValue.object(envelope).text
    }
}

extension BackendEvent {
    /// An event of an account, as its entry in the audit log has it.
    /// - Parameters:
    ///   - details: those of the entry, without the origin of the request.
    ///   - properties: what the app said of a sign-in, or which provider an identity is of.
    init(
        _ record: SecurityEvent, _ kind: WebhookKind, account: UniqueID, details: JSONObject,
        properties: [String: String]
    ) {
        var data = JSONObject()
        data.set("sub", account.uuid)
        for (detail, member) in Self.members {
            switch details[detail] {
            case .string(let text)?: data.set(member, text)
            default: break
            }
        }
        switch kind {
        case .signIns where !properties.isEmpty: data["properties"] = .object(JSONObject(strings: properties))
        case .identities:
            data.set("provider", properties["provider"])
            data.set("reason", properties["reason"])
        default: break
        }
        self.init(
            id: record.id, kind: kind, type: record.kind, clientID: record.clientID, accountID: account,
            subject: account, occurredAt: record.occurredAt, data: data)
        if data["properties"] != nil { propertiesOf = account }
    }

    /// The details of entries that a body has, with their names there: ids and codes. Anything else stays in the audit log.
    private static let members: KeyValuePairs = [
        "event_id": "eventId", "wallet_operation_id": "walletOperationId", "type": "operationType",
        "exemption": "exemption",
        "device": "deviceId", "session_id": "sessionId", "reason": "reason",
        mergedInto: "mergedInto",
    ]

    /// The detail with the account that has what the entry's account had.
    package static let mergedInto = "merged_into"

    /// Without receivers it looks into two indexes.
    package static let writing = """
        INSERT INTO webhook_deliveries (event_id, endpoint_id, type, subject, position, body, created_at, attempts,
            due_at, expires_at, properties_of)
        SELECT $1, e.id, $2, $3, $4, $5, $6, 0, $6, $7, $12 FROM webhook_endpoints e
        WHERE (e.client_id = $8 OR e.brand_id = COALESCE($9, (SELECT a.brand_id FROM accounts a WHERE a.id = $10)))
            AND e.kinds LIKE $11
        """

    /// Writes a row for each receiver. Call this in the transaction of the event.
    /// - Parameter sequence: the event's place in the audit log's chain.
    /// - Returns: the number of receivers.
    @discardableResult
    package func write(sequence: Int64, on connection: any SQLConnection) throws -> Int {
        try connection.execute(
            Self.writing,
            [
                .id(id), .text(type), .id(subject), .integer(position ?? sequence), .text(body), .time(occurredAt),
                .time(occurredAt + Self.lifetime), .optional(clientID), .optional(brandID), .id(accountID),
                .text("% \(kind.rawValue) %"), .id(propertiesOf),
            ])
    }
}
