package import AuthCore

/// A passkey as it stands in its row.
package struct PasskeyRecord: Sendable, Hashable {
    /// The row's id: what the account's own page names it by.
    package var id: UniqueID
    /// What its authenticator calls it by.
    package var credentialID: [UInt8]
    /// Whose it is.
    package var accountID: UniqueID
    /// The site that it was made for: a domain. It is none of another one's.
    package var relyingParty: String
    /// The public key, a COSE_Key.
    package var publicKey: [UInt8]
    /// How often it has signed; 0 where it does not count.
    package var counter: UInt32
    /// Whether it can be copied to other devices.
    package var isBackupEligible: Bool
    /// Whether it was.
    package var isBackedUp: Bool
    /// By which ways its authenticator can be reached.
    package var transports: [String]
    /// What its holder calls it, sealed.
    package var name: [UInt8]
    /// When it was added.
    package var createdAt: Timestamp
    /// Until when it is one factor and not two.
    package var coolingUntil: Timestamp
    /// When it last signed in or agreed to something; `nil` where it never did.
    package var lastUsedAt: Timestamp?

    /// Each parameter is the property of its name.
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
