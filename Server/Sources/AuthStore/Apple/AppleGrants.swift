package import AuthCore

/// What Apple gave with a person's sign-in, and what it said of them since.
package struct AppleGrantRecord: Sendable, Hashable {
    /// The brand of the account.
    package let brandID: String
    /// The digest of the identity: 32 bytes.
    package let digest: [UInt8]
    /// Whether the identity is linked to an account; one that is not waits to be revoked.
    package let isLinked: Bool
    /// The provider's name at the last sign-in.
    package let providerID: String
    /// The refresh tokens, one for each app, sealed; `nil` where Apple gave none or calls them dead.
    package let sealed: [UInt8]?
    /// When Apple last vouched for the person.
    package let verifiedAt: Timestamp
    /// How often Apple was asked to revoke the token.
    package let attempts: Int64
    /// When the person's consent at Apple ended; `nil` while it lasts.
    package let suspendedAt: Timestamp?
    /// Whether mail reaches the person at the address that Apple gave; `nil` where Apple never said.
    package let isAddressReachable: Bool?

    fileprivate static let columns = """
        brand_id, digest, linked_digest, provider_id, sealed, verified_at, attempts, suspended_at, address_reachable
        """

    fileprivate init(_ row: SQLRow) throws {
        brandID = try row.text("brand_id")
        digest = try row.blob("digest")
        isLinked = try row.optionalBlob("linked_digest") != nil
        providerID = try row.text("provider_id")
        sealed = try row.optionalBlob("sealed")
        verifiedAt = try row.time("verified_at")
        attempts = try row.integer("attempts")
        suspendedAt = try row.optionalTime("suspended_at")
        isAddressReachable = try row.optionalInteger(row.position(of: "address_reachable")).map { $0 == 1 }
    }
}

/// What Apple gave with sign-ins. It owns the `apple_grants` table.
package enum AppleGrants {
    /// A sign-in by Apple, as its write records it.
    package struct SignIn: Sendable {
        /// The brand of the account.
        package let brandID: String
        /// The digest of the identity.
        package let digest: [UInt8]
        /// The provider's name.
        package let providerID: String
        /// The refresh tokens, sealed; `nil` leaves those that are there.
        package let sealed: [UInt8]?
        /// When Apple vouched for the person.
        package let verifiedAt: Timestamp
        /// When Apple may be asked about the token.
        package let askAt: Timestamp
        /// When the token of an identity without an account is revoked; `nil` where the identity is linked.
        package let revokeAt: Timestamp?

        /// Each parameter is the property of its name.
        package init(
            brandID: String, digest: [UInt8], providerID: String, sealed: [UInt8]?, verifiedAt: Timestamp,
            askAt: Timestamp, revokeAt: Timestamp?
        ) {
            self.brandID = brandID
            self.digest = digest
            self.providerID = providerID
            self.sealed = sealed
            self.verifiedAt = verifiedAt
            self.askAt = askAt
            self.revokeAt = revokeAt
        }
    }

    /// Records a sign-in: a suspension from before it ends, and a revocation that waits is called off, or put off for a guest.
    /// - Parameters:
    ///   - signIn: what Apple said.
    ///   - connection: the connection of the write that signs in.
    /// - Throws: ``StoreError``.
    package static func record(_ signIn: SignIn, on connection: any SQLConnection) throws {
        let link: [SQLValue] =
            signIn.revokeAt == nil ? [.text(signIn.brandID), .blob(signIn.digest)] : [.null, .null]
        try connection.execute(
            """
            INSERT INTO apple_grants (brand_id, digest, linked_brand, linked_digest, provider_id, sealed, verified_at,
                ask_at, revoke_at, attempts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
            ON CONFLICT (brand_id, digest) DO UPDATE SET linked_brand = excluded.linked_brand,
                linked_digest = excluded.linked_digest, provider_id = excluded.provider_id,
                sealed = CASE WHEN excluded.verified_at < apple_grants.suspended_at THEN NULL
                    ELSE COALESCE(excluded.sealed, apple_grants.sealed) END,
                verified_at = CASE WHEN excluded.verified_at > apple_grants.verified_at
                    THEN excluded.verified_at ELSE apple_grants.verified_at END,
                ask_at = excluded.ask_at, revoke_at = excluded.revoke_at, attempts = 0,
                suspended_at = CASE WHEN excluded.verified_at < apple_grants.suspended_at
                    THEN apple_grants.suspended_at END
            """,
            [.text(signIn.brandID), .blob(signIn.digest)] + link + [
                .text(signIn.providerID), .optional(signIn.sealed), .time(signIn.verifiedAt), .time(signIn.askAt),
                // A token whose identity is unlinked later is revoked at once.
                signIn.revokeAt.map { .time($0) } ?? .integer(0),
            ])
    }

    /// What is known of an identity within a brand; one point read.
    package static func find(
        _ digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> AppleGrantRecord? {
        try connection.row(
            "SELECT \(AppleGrantRecord.columns) FROM apple_grants WHERE brand_id = $1 AND digest = $2",
            [.text(brand), .blob(digest)]
        ).map(AppleGrantRecord.init)
    }

    /// What is known of an account's identities.
    package static func list(of account: UniqueID, on connection: any SQLConnection) throws -> [AppleGrantRecord] {
        try connection.query(
            """
            SELECT \(AppleGrantRecord.columns) FROM apple_grants g WHERE EXISTS (
                SELECT 1 FROM federated_identities f
                WHERE f.account_id = $1 AND f.brand_id = g.linked_brand AND f.digest = g.linked_digest)
            ORDER BY digest
            """, [.id(account)]
        ).map(AppleGrantRecord.init)
    }

    /// Takes grants whose identity is unlinked, and leases them until a time.
    /// - Parameters:
    ///   - now: the present.
    ///   - lease: when one may be taken again.
    ///   - limit: at most so many.
    ///   - connection: the connection of a write.
    /// - Returns: the grants, with the attempt counted.
    /// - Throws: ``StoreError``.
    package static func takeToRevoke(
        now: Timestamp, until lease: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [AppleGrantRecord] {
        try connection.query(
            """
            UPDATE apple_grants SET attempts = attempts + 1, revoke_at = $2
            WHERE linked_digest IS NULL AND revoke_at <= $1 AND (brand_id, digest) IN (
                SELECT g.brand_id, g.digest FROM apple_grants g
                WHERE g.linked_digest IS NULL AND g.revoke_at <= $1 ORDER BY g.revoke_at LIMIT $3)
            RETURNING \(AppleGrantRecord.columns)
            """, [.time(now), .time(lease), .integer(Int64(limit))]
        ).map(AppleGrantRecord.init)
    }

    /// Whether there is a grant to revoke or to ask about, so that a look at an idle database writes nothing.
    package static func isDue(now: Timestamp, on connection: any SQLConnection) throws -> (revoke: Bool, ask: Bool) {
        let revoke = try connection.row(
            "SELECT 1 FROM apple_grants WHERE linked_digest IS NULL AND revoke_at <= $1 LIMIT 1", [.time(now)])
        let ask = try connection.row(
            """
            SELECT 1 FROM apple_grants WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL AND ask_at <= $1 LIMIT 1
            """, [.time(now)])
        return (revoke != nil, ask != nil)
    }

    /// Removes a grant that was taken to be revoked, unless the person signed in by it again meanwhile.
    /// - Returns: whether it was removed.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func remove(_ taken: AppleGrantRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM apple_grants WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NULL AND attempts = $3",
            [.text(taken.brandID), .blob(taken.digest), .integer(taken.attempts)]) == 1
    }

    /// Lets a grant that was taken to be revoked be taken again at another time.
    package static func postpone(
        _ taken: AppleGrantRecord, until time: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE apple_grants SET revoke_at = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NULL AND attempts = $3
            """, [.text(taken.brandID), .blob(taken.digest), .integer(taken.attempts), .time(time)])
    }

    /// What is known of the same person in other brands, where they are linked.
    package static func list(
        of digest: [UInt8], inOtherBrandsThan brand: String, on connection: any SQLConnection
    ) throws -> [AppleGrantRecord] {
        try connection.query(
            """
            SELECT \(AppleGrantRecord.columns) FROM apple_grants
            WHERE digest = $1 AND brand_id <> $2 AND linked_digest IS NOT NULL ORDER BY brand_id
            """, [.blob(digest), .text(brand)]
        ).map(AppleGrantRecord.init)
    }

    /// Takes linked grants whose token is to be asked about, each once before a time.
    /// - Parameters:
    ///   - now: the present.
    ///   - next: when each may be asked about again, whatever comes of this time.
    ///   - limit: at most so many.
    ///   - connection: the connection of a write.
    /// - Throws: ``StoreError``.
    package static func takeToAsk(
        now: Timestamp, next: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [AppleGrantRecord] {
        try connection.query(
            """
            UPDATE apple_grants SET ask_at = $2
            WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL AND ask_at <= $1 AND (brand_id, digest) IN (
                SELECT g.brand_id, g.digest FROM apple_grants g
                WHERE g.linked_digest IS NOT NULL AND g.sealed IS NOT NULL AND g.ask_at <= $1
                ORDER BY g.ask_at LIMIT $3)
            RETURNING \(AppleGrantRecord.columns)
            """, [.time(now), .time(next), .integer(Int64(limit))]
        ).map(AppleGrantRecord.init)
    }

    /// Replaces the tokens of a linked grant, where they are still the ones that were read.
    package static func replaceTokens(
        of grant: AppleGrantRecord, by sealed: [UInt8]?, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE apple_grants SET sealed = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NOT NULL AND sealed = $3
            """, [.text(grant.brandID), .blob(grant.digest), .optional(grant.sealed), .optional(sealed)])
    }

    /// Suspends an identity whose consent at Apple ended, and drops the tokens that are dead.
    /// - Parameters:
    ///   - digest: the identity.
    ///   - brand: the brand of the account.
    ///   - ended: when the consent ended; a sign-in since then has renewed it.
    ///   - sealed: the tokens that Apple called dead, where it was asked about them: others have come with a sign-in since.
    ///   - others: the tokens that stay, sealed; `nil` for none.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was linked and not suspended.
    /// - Throws: ``StoreError``.
    package static func suspend(
        _ digest: [UInt8], brand: String, ended: Timestamp, holding sealed: [UInt8]? = nil,
        keeping others: [UInt8]? = nil, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE apple_grants SET suspended_at = $3, sealed = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NOT NULL AND suspended_at IS NULL
                AND verified_at <= $3\(sealed == nil ? "" : " AND sealed = $5")
            """,
            [.text(brand), .blob(digest), .time(ended), .optional(others)]
                + [sealed].compactMap { $0.map { .blob($0) } }) == 1
    }

    /// Removes what is known of an identity that is gone at Apple: there is nothing left to revoke.
    package static func remove(_ digest: [UInt8], brand: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM apple_grants WHERE brand_id = $1 AND digest = $2", [.text(brand), .blob(digest)])
    }

    /// Marks whether mail reaches the person at the address that Apple gave.
    /// - Parameters:
    ///   - isReachable: what Apple says.
    ///   - digest: the identity.
    ///   - brand: the brand of the account.
    ///   - time: when it changed at Apple; an older change than the last one known changes nothing.
    ///   - connection: the connection of a write.
    /// - Returns: whether that is news of a linked identity.
    /// - Throws: ``StoreError``.
    package static func mark(
        addressReachable isReachable: Bool, of digest: [UInt8], brand: String, at time: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE apple_grants SET address_reachable = $3, address_changed_at = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NOT NULL
                AND (address_changed_at IS NULL OR address_changed_at < $4)
            """, [.text(brand), .blob(digest), .integer(isReachable ? 1 : 0), .time(time)]) == 1
    }
}

/// The notifications of Apple that were taken. It owns the `apple_notifications` table.
package enum AppleNotifications {
    /// Remembers a notification; of several callers with the same one, exactly one gets `true`.
    /// - Parameters:
    ///   - digest: of its issuer and `jti`.
    ///   - expiresAt: until when it would be taken; the row is swept after it.
    ///   - connection: the connection of the write that carries it out.
    /// - Throws: ``StoreError``.
    package static func remember(
        _ digest: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "INSERT INTO apple_notifications (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.blob(digest), .time(expiresAt)]) == 1
    }
}
