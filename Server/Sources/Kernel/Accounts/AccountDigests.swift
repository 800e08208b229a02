package import Core
package import Store
package import WalletAuthWire

/// What an account is found by when someone signs in by an address, or a newcomer gives one or chooses a name: keyed digests of its
/// addresses, and of what its names look like. It owns the `account_digests` table.
///
/// ``Accounts`` records them with every address and name that it writes.
package struct AccountDigests: Sendable {
    package enum Kind: String, Sendable {
        case email, phone, name
        case smallName = "small_name"
    }

    let account: UniqueID
    let digests: [(kind: Kind, digest: [UInt8])]
}

extension AccountDigests {
    /// - Parameters:
    ///   - account: with the addresses and the profile that are written.
    ///   - names: the account's user names.
    package init(of account: AccountRecord, names: [Username], sealing: SealingKeys) throws {
        let (vault, brand) = (AccountVault(sealing), account.brandID)
        let key = try sealing.keyRing.active(.attempts)
        var digests: [(Kind, [UInt8])] = []
        // An address from before the present rules cannot be registered either.
        if let email = vault.email(of: account).flatMap({ try? EmailAddress($0) }) {
            digests.append((.email, Self.digest(of: .email, Self.compared(email), brand: brand, key: key)))
        }
        // Only a confirmed number is found. Whether one is confirmed is sealed, so no query can leave the others out.
        if vault.profile(of: account).isPhoneVerified, let phone = vault.open(account.phone, .phone, of: account.id) {
            digests.append((.phone, Self.digest(of: .phone, phone, brand: brand, key: key)))
        }
        for name in names {
            digests += Self.digests(of: name, brand: brand, key: key).map { ($0.kind, $0.digest) }
        }
        self.init(account: account.id, digests: digests)
    }

    /// By which two spellings of one address are found. Whether upper case matters before the `@` only its server knows; hardly any does.
    package static func compared(_ email: EmailAddress) -> String { email.addrSpec.lowercased() }

    // MARK: - Rows

    /// Records them in place of the account's former ones.
    func record(on connection: any SQLConnection) throws {
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

    static func remove(_ kind: Kind, of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM account_digests WHERE account_id = $1 AND kind = $2", [.id(account), .name(kind)])
    }

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

    // MARK: - Finding

    /// The accounts that have an address and confirmed it. As many statements run if none has it. A digest may be out of date, so
    /// compare what they have.
    /// - Parameter compared: the address, as ``compared(_:)`` or a number in the form of E.164.
    package static func accounts(
        having kind: Kind, _ compared: String, brand: BrandID, sealing: SealingKeys, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [AccountRecord] {
        try sealing.keyRing.keys(.attempts, at: now).flatMap { key in
            let digest = digest(of: kind, compared, brand: brand.rawValue, key: key)
            return try Accounts.find(having: kind, digest, on: connection)
        }
    }

    /// The accounts that have an e-mail address, confirmed or not. A digest may be out of date, so compare what they have.
    /// - Parameter compared: as ``compared(_:)``.
    package static func holders(
        of compared: String, brand: BrandID, sealing: SealingKeys, now: Timestamp, limit: Int,
        on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try sealing.keyRing.keys(.attempts, at: now).flatMap { key in
            try connection.query(
                "SELECT account_id FROM account_digests WHERE kind = 'email' AND digest = $1 ORDER BY account_id LIMIT $2",
                [
                    .blob(digest(of: .email, compared, brand: brand.rawValue, key: key)), .integer(Int64(limit)),
                ]
            ).map { try $0.id("account_id") }
        }
    }

    /// The user names, as typed, of the accounts that confirmed the e-mail address of an account; its own among them.
    package static func namesSharingEmail(
        of account: UniqueID, on connection: any SQLConnection
    ) throws -> [String] {
        try connection.query(
            """
            SELECT COALESCE(n.typed, n.name) AS shown FROM account_digests d
            JOIN account_digests o ON o.kind = d.kind AND o.digest = d.digest
            JOIN accounts a ON a.id = o.account_id
            JOIN account_names n ON n.account_id = a.id
            WHERE d.account_id = $1 AND d.kind = 'email' AND a.state <> 'erased' AND a.email_state = 'verified'
            ORDER BY n.name LIMIT 20
            """, [.id(account)]
        ).map { try $0.text("shown") }
    }

    /// Whether an account has a name that this one can be taken for.
    package static func haveLookAlike(
        of name: Username, brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try sealing.keyRing.keys(.attempts, at: now).contains { key in
            try digests(of: name, brand: brand.rawValue, key: key).contains {
                try !Accounts.find(having: $0.kind, $0.digest, on: connection).isEmpty
            }
        }
    }

    // MARK: - Digests

    private static func digest(of kind: Kind, _ compared: String, brand: String, key: DataKey) -> [UInt8] {
        Digests.keyed("account-\(kind.rawValue)", [brand, compared], key: key)
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
