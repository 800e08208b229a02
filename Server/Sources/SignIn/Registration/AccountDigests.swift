internal import Core
package import Kernel
package import Store
package import WalletAuthWire

/// What an account is found by when a newcomer gives an address or chooses a name: keyed digests of its addresses, and of what its names
/// look like. It owns the `account_digests` table.
///
/// Every write of an address or a name records them. They may be out of date after the removal of an address, so an account that is found
/// by one counts only if it has the address still.
package struct AccountDigests: Sendable {
    package enum Kind: String, Sendable {
        case email, phone, name
        case smallName = "small_name"
    }

    private let account: UniqueID
    private let digests: [(kind: Kind, digest: [UInt8])]

    /// - Parameters:
    ///   - account: with the addresses that are written.
    ///   - names: the account's user names.
    package init(of account: AccountRecord, names: [Username], sealing: SealingKeys) throws {
        let (vault, brand) = (AccountVault(sealing), account.brandID)
        let key = try sealing.keyRing.active(.attempts)
        var digests: [(Kind, [UInt8])] = []
        // An address from before the present rules cannot be registered either.
        if let email = vault.email(of: account).flatMap({ try? EmailAddress($0) }) {
            digests.append((.email, Self.digest(of: .email(email), brand: brand, key: key)))
        }
        if let phone = vault.open(account.phone, .phone, of: account.id) {
            digests.append((.phone, Self.digest(of: .phone(phone), brand: brand, key: key)))
        }
        for name in names {
            digests += Self.digests(of: name, brand: brand, key: key).map { ($0.kind, $0.digest) }
        }
        self.account = account.id
        self.digests = digests
    }

    /// Records them in place of the account's former ones.
    package func record(on connection: any SQLConnection) throws {
        try Self.removeAll(of: account, on: connection)
        for (kind, digest) in digests {
            try connection.execute(
                """
                INSERT INTO account_digests (account_id, kind, digest) VALUES ($1, $2, $3)
                ON CONFLICT (account_id, kind, digest) DO NOTHING
                """, [.id(account), .name(kind), .blob(digest)])
        }
    }

    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM account_digests WHERE account_id = $1", [.id(account)])
    }

    // MARK: - Finding

    /// The account that has a confirmed address; `nil` if none has.
    static func holder(
        of address: RegistrationAddress, brand: BrandID, sealing: SealingKeys, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> AccountRecord? {
        let vault = AccountVault(sealing)
        for key in sealing.keyRing.keys(.attempts, at: now) {
            let digest = digest(of: address, brand: brand.rawValue, key: key)
            for id in try accounts(address.digestKind, digest, on: connection) {
                guard let account = try Accounts.find(id, on: connection), account.brandID == brand.rawValue,
                    address.isConfirmed(for: account, vault)
                else { continue }
                return account
            }
        }
        return nil
    }

    /// Whether an account has a name that this one can be taken for.
    static func haveLookAlike(
        of name: Username, brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try sealing.keyRing.keys(.attempts, at: now).contains { key in
            try digests(of: name, brand: brand.rawValue, key: key).contains {
                try !accounts($0.kind, $0.digest, on: connection).isEmpty
            }
        }
    }

    private static func accounts(
        _ kind: Kind, _ digest: [UInt8], on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            "SELECT account_id FROM account_digests WHERE kind = $1 AND digest = $2 LIMIT 20",
            [.name(kind), .blob(digest)]
        ).map { try $0.id("account_id") }
    }

    // MARK: - Digests

    private static func digest(of address: RegistrationAddress, brand: String, key: DataKey) -> [UInt8] {
        Digests.keyed("account-\(address.digestKind.rawValue)", [brand, address.compared], key: key)
    }

    private static func digests(
        of name: Username, brand: String, key: DataKey
    ) -> [(kind: Kind, digest: [UInt8])] {
        let skeletons = name.skeletons
        return [
            (.name, Digests.keyed("account-name", [brand, skeletons.capital], key: key)),
            (.smallName, Digests.keyed("account-small-name", [brand, skeletons.small], key: key)),
        ]
    }
}

extension AccountDigests {
    /// Records what is missing for the accounts of a brand, in bounded batches: those from before this table.
    package static func complete(
        _ brand: BrandID, sealing: SealingKeys, in database: any Database
    ) async throws {
        var last = ""
        var isDone = false
        while !isDone {
            let after = last
            let next = try await database.write { connection -> String? in
                let page = try Accounts.list(brand: brand.rawValue, after: after, limit: 200, on: connection)
                for one in page {
                    let names = try Accounts.names(of: one.account.id, on: connection).compactMap { try? Username($0) }
                    try AccountDigests(of: one.account, names: names, sealing: sealing).record(on: connection)
                }
                return page.last?.name
            }
            last = next ?? last
            isDone = next == nil
        }
    }
}
