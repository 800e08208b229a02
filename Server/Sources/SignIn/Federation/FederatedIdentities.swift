package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// The link between an account and a person at a provider.
package struct FederatedIdentityRecord: Sendable, Hashable {
    package let brandID: String
    /// The digest over the provider's own identity and the subject there: 32 bytes.
    package let digest: [UInt8]
    package let accountID: UniqueID
    /// The provider's id at the time of linking.
    package let providerID: String
    /// The subject, sealed.
    package let subject: [UInt8]
    package let linkedAt: Timestamp
    /// Whether the provider ever asserted the address that the account has.
    package let assertsAddress: Bool
    /// Until then, the identity alone changes and pays nothing: it was restored, or came with a merge.
    package let coolingUntil: Timestamp

    package init(
        brandID: String, digest: [UInt8], accountID: UniqueID, providerID: String, subject: [UInt8],
        linkedAt: Timestamp, assertsAddress: Bool, coolingUntil: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.brandID = brandID
        self.digest = digest
        self.accountID = accountID
        self.providerID = providerID
        self.subject = subject
        self.linkedAt = linkedAt
        self.assertsAddress = assertsAddress
        self.coolingUntil = coolingUntil
    }

    /// The columns that ``init(_:)`` reads.
    fileprivate enum Column: Int, RecordColumn {
        case brandID, digest, accountID, providerID, subject, linkedAt, assertsAddress, coolingUntil
    }

    fileprivate static let columns = Column.list()

    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            brandID: try row.text(.brandID), digest: try row.blob(.digest), accountID: try row.id(.accountID),
            providerID: try row.text(.providerID), subject: try row.blob(.subject),
            linkedAt: try row.time(.linkedAt), assertsAddress: try row.integer(.assertsAddress) == 1,
            coolingUntil: try row.time(.coolingUntil))
    }
}

/// Reads and writes federated identities. It owns the `federated_identities` table.
package enum FederatedIdentities {
    /// - Returns: whether the identity was not linked in the brand before; nothing was written otherwise.
    package static func link(_ identity: FederatedIdentityRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO federated_identities (\(FederatedIdentityRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (brand_id, digest) DO NOTHING
            """,
            [
                .text(identity.brandID), .blob(identity.digest), .id(identity.accountID),
                .text(identity.providerID), .blob(identity.subject), .time(identity.linkedAt),
                .integer(identity.assertsAddress ? 1 : 0), .time(identity.coolingUntil),
            ]) == 1
    }

    /// One point read.
    package static func find(
        _ digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> FederatedIdentityRecord? {
        try connection.row(
            "SELECT \(FederatedIdentityRecord.columns) FROM federated_identities WHERE brand_id = $1 AND digest = $2",
            [.text(brand), .blob(digest)]
        ).map(FederatedIdentityRecord.init)
    }

    /// Records the name that a person entered with the correct password at a user repository. Any other identity of the
    /// brand loses that name.
    /// - Parameter name: a keyed digest of the name.
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

    /// The account of the person who last entered this name with the correct password.
    package static func holder(
        ofName name: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> UniqueID? {
        try connection.row(
            "SELECT account_id FROM federated_identities WHERE brand_id = $1 AND name_digest = $2",
            [.text(brand), .blob(name)])?.id("account_id")
    }

    /// Records permanently that a provider asserts the account's own address. The provider may assert another one
    /// later, but the person there still receives mail at this one.
    package static func recordAssertsAddress(
        by digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE federated_identities SET asserts_address = 1
            WHERE brand_id = $1 AND digest = $2 AND asserts_address = 0
            """, [.text(brand), .blob(digest)])
    }

    /// Records for an account's new address that its providers may assert it: what they reported before was compared with the old one.
    package static func presumeAddressAsserted(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE federated_identities SET asserts_address = 1 WHERE account_id = $1 AND asserts_address = 0",
            [.id(account)])
    }

    /// The end of the cooling period of an account's restored identities; `nil` if there is none. `amr` does not tell
    /// which identity was used, so one in its cooling period is enough.
    package static func cooling(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try connection.row(
            """
            SELECT MAX(cooling_until) AS last_end FROM federated_identities
            WHERE account_id = $1 AND cooling_until > $2
            """, [.id(account), .time(now)])?.optionalTime("last_end")
    }

    /// An account's identities, oldest first.
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

    /// A page of the identities linked under a provider's id, in the order of their digests.
    /// - Parameters:
    ///   - digest: the last one of the previous page; empty for the first page.
    ///   - condition: SQL of this program that narrows the page.
    ///   - values: the values of the condition, from `$5` on.
    package static func list(
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

    /// Gives all identities of an account to another. Alone, they change nothing there and pay nothing for a while, and their providers
    /// count as knowing its mailbox: what they reported was compared with the former account's.
    package static func move(
        from account: UniqueID, to other: UniqueID, coolingUntil end: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE federated_identities SET account_id = $2, asserts_address = 1,
                cooling_until = CASE WHEN cooling_until > $3 THEN cooling_until ELSE $3 END
            WHERE account_id = $1
            """, [.id(account), .id(other), .time(end)])
    }

    /// Unlinks all identities of an account, for its erasure.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM federated_identities WHERE account_id = $1", [.id(account)])
    }
}

extension FederatedIdentities {
    /// - Returns: whether the identity was the account's.
    package static func unlink(
        _ digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM federated_identities WHERE digest = $1 AND account_id = $2", [.blob(digest), .id(account)])
            == 1
    }

    /// Whether an account has another identity to sign in with. Its provider must still exist.
    /// - Parameter digest: of the identity that does not count; empty for none.
    package static func hasAnother(
        than digest: [UInt8], of account: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            """
            SELECT 1 FROM federated_identities f JOIN identity_providers p
                ON p.brand_id = f.brand_id AND p.id = f.provider_id
            WHERE f.account_id = $1 AND f.digest <> $2 LIMIT 1
            """, [.id(account), .blob(digest)]) != nil
    }
}

extension ProvenIdentity {
    /// The account that the identity is linked to.
    package func account(on connection: any SQLConnection) throws -> AccountRecord? {
        try FederatedIdentities.find(digest, brand: brand.rawValue, on: connection)
            .flatMap { try Accounts.find($0.accountID, on: connection) }
    }

    /// Whether the provider knows the mailbox of an address. An address that merely looks different may lead to it.
    func assertsAddress(_ address: String?) -> Bool {
        guard let address, let reportedEmail else { return false }
        return ContactDetails.mayBeOneMailbox(address, reportedEmail)
    }

    /// Records a sign-in through a provider: the typed name, the vendor's grant, and whether the provider knows the account's own
    /// address. If it does, a code to that address is no second factor after this provider, even if the operator permits it.
    /// - Throws: ``VendorConsentEnded``.
    func recordSignIn(
        to account: AccountRecord?, at provider: IdentityProvider, by access: ProviderAccess, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try keepGrant(at: provider, by: access, now: now, on: connection)
        if let nameDigest {
            try FederatedIdentities.recordName(nameDigest, of: digest, brand: brand.rawValue, on: connection)
        }
        if assertsAddress(account.flatMap { AccountVault(access.sealing).open($0.email, .email, of: $0.id) }) {
            try FederatedIdentities.recordAssertsAddress(by: digest, brand: brand.rawValue, on: connection)
        }
    }

    /// Keeps the vendor's data for the link, if there are any.
    /// - Throws: ``VendorConsentEnded``.
    func keepGrant(
        at provider: IdentityProvider, by access: ProviderAccess, now: Timestamp, on connection: any SQLConnection
    ) throws {
        guard let grant else { return }
        try provider.vendor?.keep(
            grant, of: digest, call: VendorCall(to: provider, by: access, now: now), on: connection)
    }
}

/// Accounts without a password or a passkey whose only identity ended at its provider. It owns the `unreachable_accounts` table.
package enum UnreachableAccounts {
    /// Records that an account lost its last way to sign in.
    package static func record(_ account: UniqueID, at now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO unreachable_accounts (account_id, unreachable_since) VALUES ($1, $2)
            ON CONFLICT (account_id) DO NOTHING
            """, [.id(account), .time(now)])
    }

    /// Whether an account lost its last way to sign in and has had none since; one point read.
    package static func contains(
        _ account: UniqueID, at party: PasskeyRelyingParty?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(ofOne, [.id(account), .text(party?.id ?? "")]) != nil
    }

    /// The SQL that finds the record of the account `$1`, if it counts. The site of passkeys is `$2`.
    static let ofOne = """
        SELECT 1 FROM unreachable_accounts u JOIN accounts a ON a.id = u.account_id
        WHERE u.account_id = $1 AND a.password IS NULL
            AND NOT EXISTS (SELECT 1 FROM federated_identities f WHERE f.account_id = $1)
            AND NOT EXISTS (SELECT 1 FROM passkeys k WHERE k.account_id = $1 AND k.relying_party = $2)
        """

    /// Deletes the record, for the erasure of an account.
    package static func remove(_ account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM unreachable_accounts WHERE account_id = $1", [.id(account)])
    }
}

/// Seals and opens a person's identifier at a provider, bound to the digest under which the identity is linked.
package typealias IdentityVault = Vault<IdentityField>

package enum IdentityField: String, SealedField {
    case subject = "federated_identities|subject"

    package typealias Row = [UInt8]

    package var purpose: KeyPurpose { .personal }

    package static func id(of digest: Row) -> String { Base64URL.encode(digest) }
}
