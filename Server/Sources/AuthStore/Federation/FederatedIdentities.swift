package import AuthCore

/// That somebody at a provider is the holder of an account.
package struct FederatedIdentityRecord: Sendable, Hashable {
    /// The brand of the account.
    package let brandID: String
    /// The digest of the provider's own identity and the subject there: 32 bytes.
    package let digest: [UInt8]
    /// Whose account it is.
    package let accountID: UniqueID
    /// The provider's name when it was linked.
    package let providerID: String
    /// The subject, sealed.
    package let subject: [UInt8]
    /// When it was linked.
    package let linkedAt: Timestamp

    /// Each parameter is the property of its name.
    package init(
        brandID: String, digest: [UInt8], accountID: UniqueID, providerID: String, subject: [UInt8],
        linkedAt: Timestamp
    ) {
        self.brandID = brandID
        self.digest = digest
        self.accountID = accountID
        self.providerID = providerID
        self.subject = subject
        self.linkedAt = linkedAt
    }

    fileprivate static let columns = "brand_id, digest, account_id, provider_id, subject, linked_at"

    fileprivate init(_ row: SQLRow) throws {
        self.init(
            brandID: try row.text(0), digest: try row.blob(1), accountID: try row.id(2), providerID: try row.text(3),
            subject: try row.blob(4), linkedAt: try row.time(5))
    }
}

/// The facts of federated identities. It owns the `federated_identities` table.
package enum FederatedIdentities {
    /// Links an identity to an account.
    /// - Returns: whether it was linked to none in the brand; nothing was written otherwise.
    /// - Throws: ``StoreError``.
    package static func link(_ identity: FederatedIdentityRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO federated_identities (\(FederatedIdentityRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (brand_id, digest) DO NOTHING
            """,
            [
                .text(identity.brandID), .blob(identity.digest), .id(identity.accountID),
                .text(identity.providerID), .blob(identity.subject), .time(identity.linkedAt),
            ]) == 1
    }

    /// The link of an identity within a brand; one point read.
    package static func find(
        _ digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> FederatedIdentityRecord? {
        try connection.row(
            "SELECT \(FederatedIdentityRecord.columns) FROM federated_identities WHERE brand_id = $1 AND digest = $2",
            [.text(brand), .blob(digest)]
        ).map(FederatedIdentityRecord.init)
    }

    /// An account's identities, the oldest first.
    package static func list(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [FederatedIdentityRecord] {
        try connection.query(
            """
            SELECT \(FederatedIdentityRecord.columns) FROM federated_identities
            WHERE account_id = $1 ORDER BY linked_at, digest LIMIT 100
            """, [.id(account)]
        ).map(FederatedIdentityRecord.init)
    }

    /// Unlinks all of an account's, as its erasure does.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM federated_identities WHERE account_id = $1", [.id(account)])
    }
}
