package import AuthCore

/// By which way a message goes; decided when it is written.
package enum OutboxChannel: String, Sendable, Codable, CaseIterable {
    /// By none: the account has no address. It is kept for the record until it expires.
    case none
    /// By e-mail.
    case email
    /// By SMS.
    case sms
}

/// A message that waits to be delivered: written in the transaction that caused it, sent outside of any.
package struct OutboxRecord: Sendable, Hashable {
    /// Its id, time-ordered; receivers tell repeated deliveries apart by it.
    package var id: UniqueID
    /// The account it concerns, if any; erased with it.
    package var accountID: UniqueID?
    /// What kind of message.
    package var kind: String
    /// By which way it goes.
    package var channel: OutboxChannel
    /// The content, sealed by the caller; empty once delivered.
    package var sealed: [UInt8]
    /// When it was written.
    package var createdAt: Timestamp
    /// How often its delivery was begun.
    package var attempts: Int64
    /// Not to be sent before.
    package var dueAt: Timestamp
    /// Of no use after; swept then, delivered or not.
    package var expiresAt: Timestamp
    /// When it was delivered.
    package var deliveredAt: Timestamp?
    /// When its delivery was given up.
    package var failedAt: Timestamp?
    /// Why its latest attempt came to nothing.
    package var failure: String?

    /// Each parameter is the property of its name.
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
