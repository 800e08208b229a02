package import AuthCore
package import WalletAuthWire

/// A second factor that a sign-in waits for.
package struct OpenFactorRecord: Sendable, Hashable {
    /// Names it; 16 random bytes.
    package var id: UniqueID
    /// Whose sign-in it is.
    package var accountID: UniqueID
    /// What is asked for.
    package var kind: FactorKind
    /// The code that was sent; `nil` where none was, or where it is void.
    package var code: Code?
    /// How often a code was sent during the sign-in.
    package var sends: Int64
    /// When the last one was.
    package var sentAt: Timestamp?
    /// How many answers were reserved during the sign-in.
    package var tries: Int64
    /// When the sign-in is over.
    package var expiresAt: Timestamp

    /// What is kept of a code: not the code.
    package struct Code: Sendable, Hashable {
        /// A MAC over the factor's id and the code.
        package var mac: [UInt8]
        /// Of the key that made it.
        package var keyID: KeyID
        /// Until when it is good.
        package var expiresAt: Timestamp

        /// Each parameter is the property of its name.
        package init(mac: [UInt8], keyID: KeyID, expiresAt: Timestamp) {
            self.mac = mac
            self.keyID = keyID
            self.expiresAt = expiresAt
        }
    }

    /// A factor that nothing was sent or tried for. Each parameter is the property of its name.
    package init(id: UniqueID, accountID: UniqueID, kind: FactorKind, expiresAt: Timestamp) {
        self.id = id
        self.accountID = accountID
        self.kind = kind
        sends = 0
        tries = 0
        self.expiresAt = expiresAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, account_id, kind, code_mac, mac_key_id, code_expires_at, sends, sent_at, tries, expires_at
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), accountID: try row.id(1), kind: try row.name(2), expiresAt: try row.time(9))
        if let mac = try row.optionalBlob(3) {
            code = Code(
                mac: mac, keyID: KeyID(UInt32(clamping: try row.integer(4))), expiresAt: try row.time(5))
        }
        sends = try row.integer(6)
        sentAt = try row.optionalTime(7)
        tries = try row.integer(8)
    }
}
