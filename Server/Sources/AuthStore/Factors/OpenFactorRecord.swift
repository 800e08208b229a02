package import AuthCore
package import WalletAuthWire

/// A second factor that a sign-in waits for.
package struct OpenFactorRecord: Sendable, Hashable {
    /// 16 random bytes.
    package var id: UniqueID
    package var accountID: UniqueID
    package var kind: FactorKind
    /// The code that was sent; `nil` if there is none or it is void.
    package var code: Code?
    /// The codes sent during the sign-in.
    package var sends: Int64
    package var sentAt: Timestamp?
    /// The answers reserved during the sign-in.
    package var tries: Int64
    /// The end of the sign-in.
    package var expiresAt: Timestamp

    /// The stored form of a code, which is not the code.
    package struct Code: Sendable, Hashable {
        /// A MAC over the factor's id and the code.
        package var mac: [UInt8]
        /// The key of the MAC.
        package var keyID: KeyID
        package var expiresAt: Timestamp

        package init(mac: [UInt8], keyID: KeyID, expiresAt: Timestamp) {
            self.mac = mac
            self.keyID = keyID
            self.expiresAt = expiresAt
        }
    }

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
