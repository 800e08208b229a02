package import AuthCore

/// The channel of a message, chosen when it is written.
package enum OutboxChannel: String, Sendable, Codable, CaseIterable {
    /// The account has no address. The message is kept for the record until it expires.
    case none
    case email
    case sms
}

/// A message to deliver. It is written in the transaction that causes it, and sent outside of any.
package struct OutboxRecord: Sendable, Hashable {
    /// Time-ordered. Receivers recognize repeated deliveries by it.
    package var id: UniqueID
    /// The account concerned, if any. The message is deleted when it is erased.
    package var accountID: UniqueID?
    package var kind: String
    package var channel: OutboxChannel
    /// The content, sealed by the caller; empty once delivered.
    package var sealed: [UInt8]
    package var createdAt: Timestamp
    /// The deliveries begun.
    package var attempts: Int64
    /// The earliest time of the next delivery.
    package var dueAt: Timestamp
    /// When the message becomes useless. It is deleted then, delivered or not.
    package var expiresAt: Timestamp
    package var deliveredAt: Timestamp?
    /// When its delivery was given up.
    package var failedAt: Timestamp?
    /// The reason of the latest failed attempt.
    package var failure: String?

    package init(
        id: UniqueID, accountID: UniqueID?, kind: String, channel: OutboxChannel = .email, sealed: [UInt8],
        createdAt: Timestamp, attempts: Int64 = 0, dueAt: Timestamp, expiresAt: Timestamp,
        deliveredAt: Timestamp? = nil, failedAt: Timestamp? = nil, failure: String? = nil
    ) {
        self.id = id
        self.accountID = accountID
        self.kind = kind
        self.channel = channel
        self.sealed = sealed
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.deliveredAt = deliveredAt
        self.failedAt = failedAt
        self.failure = failure
    }

    static let columns = """
        id, account_id, kind, channel, sealed, created_at, attempts, due_at, expires_at, delivered_at, failed_at, failure
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), accountID: try row.optionalID(1), kind: try row.text(2), channel: try row.name(3),
            sealed: try row.blob(4), createdAt: try row.time(5), attempts: try row.integer(6), dueAt: try row.time(7),
            expiresAt: try row.time(8), deliveredAt: try row.optionalTime(9), failedAt: try row.optionalTime(10),
            failure: try row.optionalText(11))
    }
}
