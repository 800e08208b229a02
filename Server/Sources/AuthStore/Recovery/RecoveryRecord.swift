package import AuthCore

/// A recovery that waits for the code that was sent.
package struct RecoveryRecord: Sendable, Hashable {
    /// 16 random bytes.
    package var id: UniqueID
    /// `nil` if no account has the name or nothing can be sent to it. No code is correct then.
    package var accountID: UniqueID?
    /// The counter of its messages: the account (or the unknown name) with its device or network. 32 bytes.
    package var budget: [UInt8]
    /// The common counter of messages from all devices that the account does not know; `nil` for a known device.
    package var ceiling: [UInt8]?
    /// The account's security version at the beginning; zero if there is no account.
    package var securityVersion: Int64
    package var code: OpenFactorRecord.Code
    /// The codes requested.
    package var sends: Int64
    package var sentAt: Timestamp
    /// The answers reserved.
    package var tries: Int64
    package var expiresAt: Timestamp

    /// A new recovery.
    package init(
        id: UniqueID, accountID: UniqueID?, budget: [UInt8], ceiling: [UInt8]?, securityVersion: Int64,
        code: OpenFactorRecord.Code, sentAt: Timestamp, expiresAt: Timestamp
    ) {
        self.id = id
        self.accountID = accountID
        self.budget = budget
        self.ceiling = ceiling
        self.securityVersion = securityVersion
        self.code = code
        sends = 1
        self.sentAt = sentAt
        tries = 0
        self.expiresAt = expiresAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, account_id, budget, ceiling, security_version, code_mac, mac_key_id, code_expires_at, sends, sent_at, tries, \
        expires_at
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), accountID: try row.optionalID(1), budget: try row.blob(2),
            ceiling: try row.optionalBlob(3), securityVersion: try row.integer(4),
            code: OpenFactorRecord.Code(
                mac: try row.blob(5), keyID: KeyID(UInt32(clamping: try row.integer(6))), expiresAt: try row.time(7)),
            sentAt: try row.time(9), expiresAt: try row.time(11))
        sends = try row.integer(8)
        tries = try row.integer(10)
    }
}
