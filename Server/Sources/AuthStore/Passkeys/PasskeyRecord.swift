package import AuthCore

/// A row of a passkey.
package struct PasskeyRecord: Sendable, Hashable {
    /// The row's id, by which the account page names it.
    package var id: UniqueID
    /// The authenticator's id for it.
    package var credentialID: [UInt8]
    package var accountID: UniqueID
    /// The domain it was made for; it works on no other.
    package var relyingParty: String
    /// A COSE_Key.
    package var publicKey: [UInt8]
    /// The number of signatures; 0 if the authenticator does not count.
    package var counter: UInt32
    /// Whether it can be copied to other devices.
    package var isBackupEligible: Bool
    /// Whether it was copied.
    package var isBackedUp: Bool
    /// The ways to reach its authenticator.
    package var transports: [String]
    /// The holder's name for it, sealed.
    package var name: [UInt8]
    package var createdAt: Timestamp
    /// Until then it counts as one factor instead of two.
    package var coolingUntil: Timestamp
    /// When it last signed in or agreed to something; `nil` if it never did.
    package var lastUsedAt: Timestamp?

    package init(
        id: UniqueID, credentialID: [UInt8], accountID: UniqueID, relyingParty: String, publicKey: [UInt8],
        counter: UInt32, isBackupEligible: Bool, isBackedUp: Bool, transports: [String], name: [UInt8],
        createdAt: Timestamp, coolingUntil: Timestamp, lastUsedAt: Timestamp? = nil
    ) {
        self.id = id
        self.credentialID = credentialID
        self.accountID = accountID
        self.relyingParty = relyingParty
        self.publicKey = publicKey
        self.counter = counter
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.transports = transports
        self.name = name
        self.createdAt = createdAt
        self.coolingUntil = coolingUntil
        self.lastUsedAt = lastUsedAt
    }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        id, credential_id, account_id, relying_party, public_key, counter, backup_eligible, backed_up, transports, \
        name, created_at, cooling_until, last_used_at
        """

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.id(0), credentialID: try row.blob(1), accountID: try row.id(2), relyingParty: try row.text(3),
            publicKey: try row.blob(4), counter: UInt32(clamping: try row.integer(5)),
            isBackupEligible: try row.integer(6) == 1, isBackedUp: try row.integer(7) == 1,
            transports: try row.text(8).split(separator: " ").map(String.init), name: try row.blob(9),
            createdAt: try row.time(10), coolingUntil: try row.time(11), lastUsedAt: try row.optionalTime(12))
    }
}
