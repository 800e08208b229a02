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
    /// Whether the provider ever told the very address that the account has.
    package let tellsAddress: Bool

    /// Each parameter is the property of its name.
    package init(
        brandID: String, digest: [UInt8], accountID: UniqueID, providerID: String, subject: [UInt8],
        linkedAt: Timestamp, tellsAddress: Bool
    ) {
        self.brandID = brandID
        self.digest = digest
        self.accountID = accountID
        self.providerID = providerID
        self.subject = subject
        self.linkedAt = linkedAt
        self.tellsAddress = tellsAddress
    }

    fileprivate static let columns = "brand_id, digest, account_id, provider_id, subject, linked_at, tells_address"

    fileprivate init(_ row: SQLRow) throws {
        self.init(
            brandID: try row.text(0), digest: try row.blob(1), accountID: try row.id(2), providerID: try row.text(3),
            subject: try row.blob(4), linkedAt: try row.time(5), tellsAddress: try row.integer(6) == 1)
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
            INSERT INTO federated_identities (\(FederatedIdentityRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (brand_id, digest) DO NOTHING
            """,
            [
                .text(identity.brandID), .blob(identity.digest), .id(identity.accountID),
                .text(identity.providerID), .blob(identity.subject), .time(identity.linkedAt),
                .integer(identity.tellsAddress ? 1 : 0),
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

    /// Remembers the name that somebody typed at a repository with the right password; nobody else has it from then on.
    ///
    /// - Parameters:
    ///   - name: a keyed digest of the name.
    ///   - digest: of the identity.
    ///   - brand: of the account.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func recordName(
        _ name: [UInt8], of digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws {
        let values: [SQLValue] = [.text(brand), .blob(digest), .blob(name)]
        try connection.execute(
            """
            UPDATE federated_identities SET name_digest = NULL
            WHERE brand_id = $1 AND name_digest = $3 AND digest <> $2
            """, values)
        try connection.execute(
            """
            UPDATE federated_identities SET name_digest = $3
            WHERE brand_id = $1 AND digest = $2 AND (name_digest IS NULL OR name_digest <> $3)
            """, values)
    }

    /// Whose account a name led to when it was last typed with the right password.
    package static func holder(
        ofName name: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> UniqueID? {
        try connection.row(
            "SELECT account_id FROM federated_identities WHERE brand_id = $1 AND name_digest = $2",
            [.text(brand), .blob(name)])?.id(0)
    }

    /// Records for good that a provider tells the very address that the account has. It may tell another one later, and whoever
    /// has the account there still reads this one.
    package static func recordTellsAddress(
        by digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE federated_identities SET tells_address = 1
            WHERE brand_id = $1 AND digest = $2 AND tells_address = 0
            """, [.text(brand), .blob(digest)])
    }

    /// Until when restored identities of an account count as new; `nil` where none does. `amr` does not tell which identity
    /// was used, so one that cools makes all of them count as new.
    package static func cooling(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try connection.row(
            "SELECT MAX(cooling_until) FROM federated_identities WHERE account_id = $1 AND cooling_until > $2",
            [.id(account), .time(now)])?.optionalTime(0)
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

    /// A page of the identities that were linked by a provider's name, in the order of their digests.
    /// - Parameters:
    ///   - provider: the name.
    ///   - brand: of the accounts.
    ///   - digest: the last one of the page before; empty for the first page.
    ///   - limit: at most so many.
    ///   - condition: SQL of this program's own that narrows the page.
    ///   - values: what is bound in it, from `$5` on.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    static func list(
        of provider: String, brand: String, after digest: [UInt8], limit: Int, where condition: String,
        binding values: [SQLValue], on connection: any SQLConnection
    ) throws -> [FederatedIdentityRecord] {
        try connection.query(
            """
            SELECT \(FederatedIdentityRecord.columns) FROM federated_identities
            WHERE brand_id = $1 AND provider_id = $2 AND digest > $3 AND (\(condition)) ORDER BY digest LIMIT $4
            """, [.text(brand), .text(provider), .blob(digest), .integer(Int64(limit))] + values
        ).map(FederatedIdentityRecord.init)
    }

    /// Unlinks all of an account's, as its erasure does.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM federated_identities WHERE account_id = $1", [.id(account)])
    }
}
