package import Core
internal import Kernel
package import Store
internal import WalletAuthWire

/// Apple's tokens and statements about a person who signed in.
package struct AppleGrantRecord: Sendable, Hashable {
    package let brandID: String
    /// The digest of the identity: 32 bytes.
    package let digest: [UInt8]
    /// Whether the identity is linked to an account. The tokens of an unlinked one are revoked.
    package let isLinked: Bool
    /// The provider's id at the last sign-in.
    package let providerID: String
    /// The refresh tokens, one for each app, sealed; `nil` if Apple issued none or all of them are dead.
    package let sealed: [UInt8]?
    /// When Apple last vouched for the person.
    package let verifiedAt: Timestamp
    /// The attempts to revoke the tokens.
    package let attempts: Int64
    /// When the person's consent at Apple ended; `nil` while it lasts.
    package let suspendedAt: Timestamp?
    /// Whether Apple delivers mail to the address that it gave; `nil` if Apple never said.
    package let isAddressReachable: Bool?

    /// The columns that ``init(_:)`` reads.
    fileprivate enum Column: Int, RecordColumn {
        case brandID, digest, linkedDigest, providerID, sealed, verifiedAt, attempts, suspendedAt, addressReachable
    }

    fileprivate static let columns = Column.list()

    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        brandID = try row.text(.brandID)
        digest = try row.blob(.digest)
        isLinked = try row.optionalBlob(.linkedDigest) != nil
        providerID = try row.text(.providerID)
        sealed = try row.optionalBlob(.sealed)
        verifiedAt = try row.time(.verifiedAt)
        attempts = try row.integer(.attempts)
        suspendedAt = try row.optionalTime(.suspendedAt)
        isAddressReachable = try row.optionalInteger(.addressReachable).map { $0 == 1 }
    }
}

/// Reads and writes Apple's grants. It owns the `apple_grants` table.
package enum AppleGrants {
    /// The facts of a sign-in with Apple.
    package struct SignIn: Sendable {
        package let brandID: String
        package let digest: [UInt8]
        package let providerID: String
        /// The refresh tokens, sealed; `nil` keeps the stored ones.
        package let sealed: [UInt8]?
        /// When Apple vouched for the person.
        package let verifiedAt: Timestamp
        /// The earliest time to ask Apple about the tokens.
        package let checkAt: Timestamp
        /// When to revoke the tokens of an identity without an account; `nil` if the identity is linked.
        package let revokeAt: Timestamp?
    }

    /// Records a sign-in. It ends an earlier suspension, and cancels a pending revocation or, for a guest, postpones
    /// it.
    ///
    /// Call this in the write that signs in.
    package static func record(_ signIn: SignIn, on connection: any SQLConnection) throws {
        let link: [SQLValue] =
            signIn.revokeAt == nil ? [.text(signIn.brandID), .blob(signIn.digest)] : [.null, .null]
        try connection.execute(
            """
            INSERT INTO apple_grants (brand_id, digest, linked_brand, linked_digest, provider_id, sealed, verified_at,
                check_at, revoke_at, attempts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)
            ON CONFLICT (brand_id, digest) DO UPDATE SET linked_brand = excluded.linked_brand,
                linked_digest = excluded.linked_digest, provider_id = excluded.provider_id,
                sealed = CASE WHEN excluded.verified_at < apple_grants.suspended_at THEN NULL
                    ELSE COALESCE(excluded.sealed, apple_grants.sealed) END,
                verified_at = CASE WHEN excluded.verified_at > apple_grants.verified_at
                    THEN excluded.verified_at ELSE apple_grants.verified_at END,
                check_at = excluded.check_at, revoke_at = excluded.revoke_at, attempts = 0,
                suspended_at = CASE WHEN excluded.verified_at < apple_grants.suspended_at
                    THEN apple_grants.suspended_at END
            """,
            [.text(signIn.brandID), .blob(signIn.digest)] + link + [
                .text(signIn.providerID), .optional(signIn.sealed), .time(signIn.verifiedAt), .time(signIn.checkAt),
                // If the identity is unlinked later, its tokens are revoked at once.
                signIn.revokeAt.map { .time($0) } ?? .integer(0),
            ])
    }

    /// One point read.
    package static func find(
        _ digest: [UInt8], brand: String, on connection: any SQLConnection
    ) throws -> AppleGrantRecord? {
        try connection.row(
            "SELECT \(AppleGrantRecord.columns) FROM apple_grants WHERE brand_id = $1 AND digest = $2",
            [.text(brand), .blob(digest)]
        ).map(AppleGrantRecord.init)
    }

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

    /// Takes grants of unlinked identities, and leases them.
    /// - Parameter lease: when a grant may be taken again.
    /// - Returns: the grants, with the attempt counted.
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

    /// Whether there are grants to revoke or to ask about, so that a check of an idle database writes nothing.
    package static func isDue(now: Timestamp, on connection: any SQLConnection) throws -> (revoke: Bool, ask: Bool) {
        let revoke = try connection.row(
            "SELECT 1 FROM apple_grants WHERE linked_digest IS NULL AND revoke_at <= $1 LIMIT 1", [.time(now)])
        let ask = try connection.row(
            """
            SELECT 1 FROM apple_grants WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL AND check_at <= $1 LIMIT 1
            """, [.time(now)])
        return (revoke != nil, ask != nil)
    }

    /// Deletes a grant that was taken for revocation, unless the person has signed in again since.
    /// - Returns: whether it was deleted.
    @discardableResult
    package static func remove(_ taken: AppleGrantRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM apple_grants WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NULL AND attempts = $3",
            [.text(taken.brandID), .blob(taken.digest), .integer(taken.attempts)]) == 1
    }

    /// Postpones a grant that was taken for revocation.
    package static func postpone(
        _ taken: AppleGrantRecord, until time: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE apple_grants SET revoke_at = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NULL AND attempts = $3
            """, [.text(taken.brandID), .blob(taken.digest), .integer(taken.attempts), .time(time)])
    }

    /// The grants of the same person in other brands where they are linked.
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

    /// Takes linked grants whose tokens are due for a question to Apple.
    /// - Parameter next: when each may be asked about again, whatever the result.
    package static func takeToAsk(
        now: Timestamp, next: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [AppleGrantRecord] {
        try connection.query(
            """
            UPDATE apple_grants SET check_at = $2
            WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL AND check_at <= $1 AND (brand_id, digest) IN (
                SELECT g.brand_id, g.digest FROM apple_grants g
                WHERE g.linked_digest IS NOT NULL AND g.sealed IS NOT NULL AND g.check_at <= $1
                ORDER BY g.check_at LIMIT $3)
            RETURNING \(AppleGrantRecord.columns)
            """, [.time(now), .time(next), .integer(Int64(limit))]
        ).map(AppleGrantRecord.init)
    }

    /// Replaces the tokens of a linked grant, if they are still those that were read.
    package static func replaceTokens(
        of grant: AppleGrantRecord, by sealed: [UInt8]?, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE apple_grants SET sealed = $4
            WHERE brand_id = $1 AND digest = $2 AND linked_digest IS NOT NULL AND sealed = $3
            """, [.text(grant.brandID), .blob(grant.digest), .optional(grant.sealed), .optional(sealed)])
    }

    /// Suspends an identity whose consent at Apple ended, and drops its dead tokens.
    /// - Parameters:
    ///   - ended: when the consent ended. A later sign-in has renewed it.
    ///   - sealed: the tokens that Apple called dead, if it was asked. If a sign-in has replaced them since, nothing
    ///     happens.
    ///   - others: the tokens that stay, sealed; `nil` for none.
    /// - Returns: whether it was linked and not suspended.
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

    /// Deletes the grant of an identity that no longer exists at Apple, so that there is nothing to revoke.
    package static func remove(_ digest: [UInt8], brand: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM apple_grants WHERE brand_id = $1 AND digest = $2", [.text(brand), .blob(digest)])
    }

    /// Records whether Apple delivers mail to the address that it gave.
    /// - Parameter time: when it changed at Apple. Older changes than the last one known are ignored.
    /// - Returns: whether this was news of a linked identity.
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

    /// Forgets what Apple said about delivery, because the account no longer has the address that it was about.
    package static func forgetReachability(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE apple_grants SET address_reachable = NULL, address_changed_at = NULL
            WHERE address_reachable IS NOT NULL AND EXISTS (
                SELECT 1 FROM federated_identities f
                WHERE f.account_id = $1 AND f.brand_id = apple_grants.linked_brand
                    AND f.digest = apple_grants.linked_digest)
            """, [.id(account)])
    }
}

/// The consent that a sign-in with Apple proves, with the refresh token for checking and revoking it.
struct AppleGrant: Sendable {
    /// The client that the token is for.
    var clientID: String
    /// `nil` if the app presented an identity token without a code.
    var refreshToken: String?
    /// When Apple vouched for the person.
    var verifiedAt: Timestamp

    init(clientID: String, refreshToken: String?, verifiedAt: Timestamp) {
        self.clientID = clientID
        self.refreshToken = refreshToken
        self.verifiedAt = verifiedAt
    }

    init(_ grant: VendorGrant) throws {
        let object = try JSONValue.object(parsing: grant.bytes)
        clientID = try object.required("clientID", object.string("clientID"))
        refreshToken = try object.string("refreshToken")
        verifiedAt = Timestamp(milliseconds: try object.required("verifiedAt", object.integer("verifiedAt")))
    }

    var forVendor: VendorGrant {
        var object = JSONObject()
        object.set("clientID", clientID)
        object.set("refreshToken", refreshToken)
        object.set("verifiedAt", verifiedAt.milliseconds)
        return VendorGrant(bytes: object.bytes)
    }
}

/// Seals a person's refresh tokens for their row. There is one for each app that the person signed in to, because Apple records
/// consents per app, or per group of apps if the operator grouped them.
typealias AppleGrantVault = Vault<AppleGrantField>

enum AppleGrantField: String, SealedField {
    case tokens = "apple_grants|sealed"

    typealias Row = (brand: String, digest: [UInt8])

    var purpose: KeyPurpose { .provider }

    static func id(of row: Row) -> String { "\(row.brand)|\(Base64URL.encode(row.digest))" }
}

/// A stored token.
struct AppleGrantToken: Sendable {
    var clientID: String
    var refreshToken: String
    /// The team that got the token; the provider's name may belong to another team now.
    var namespace: String
}

extension AppleGrantToken {
    fileprivate init(_ object: JSONObject) throws {
        clientID = try object.required("clientID", object.string("clientID"))
        refreshToken = try object.required("refreshToken", object.string("refreshToken"))
        namespace = try object.required("namespace", object.string("namespace"))
    }

    fileprivate var json: JSONObject {
        var object = JSONObject()
        object.set("clientID", clientID)
        object.set("refreshToken", refreshToken)
        object.set("namespace", namespace)
        return object
    }
}

extension AppleGrantVault {
    func seal(_ tokens: [AppleGrantToken], of digest: [UInt8], brand: String) throws -> [UInt8] {
        try seal(JSONValue.array(tokens.map { .object($0.json) }).bytes, .tokens, of: (brand, digest))
    }

    /// - Returns: `nil` if the key is lost.
    func open(_ record: AppleGrantRecord) -> [AppleGrantToken]? {
        guard let sealed = record.sealed else { return [] }
        guard let bytes = openBytes(sealed, .tokens, of: (record.brandID, record.digest)),
            let tokens = try? JSONValue(parsing: bytes, limits: JSONLimits(bytes: bytes.count)).array
        else { return nil }
        return try? tokens.map { token in
            guard let object = token.object else { throw DamagedRow() }
            return try AppleGrantToken(object)
        }
    }
}

extension AppleGrant: CustomStringConvertible {
    var description: String { "<redacted>" }
}

extension AppleGrantToken: CustomStringConvertible {
    var description: String { "<redacted>" }
}
