package import Core
package import Store

/// An account as integrators know it.
package struct LoyaltyAccountRecord: Sendable, Hashable {
    package let accountID: UniqueID
    /// The number by which integrators know it.
    package let number: Int64
    /// The merchant that enrolled it.
    package let merchantID: Int64
    /// The merchant's integration through which it came.
    package let integrationID: String
    package let cardTemplate: Int64?
    package let activationStore: String?
    package let enrolledAt: Timestamp
    /// The keyed digest of the number at which the guest gets one-time passwords, which the guest proved or an operator entered; `nil`
    /// for none.
    package var phoneDigest: [UInt8]?

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case accountID, number, merchantID, integrationID, cardTemplate, activationStore, enrolledAt, phoneDigest
    }

    static let columns = Column.list()
}

extension LoyaltyAccountRecord {
    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            accountID: try row.id(.accountID), number: try row.integer(.number),
            merchantID: try row.integer(.merchantID), integrationID: try row.text(.integrationID),
            cardTemplate: try row.optionalInteger(.cardTemplate),
            activationStore: try row.optionalText(.activationStore), enrolledAt: try row.time(.enrolledAt),
            phoneDigest: try row.optionalBlob(.phoneDigest))
    }
}

/// Reads and writes loyalty accounts. It owns the `loyalty_accounts` table.
package enum LoyaltyAccounts {
    /// - Returns: whether its number was free; nothing was written otherwise.
    package static func add(_ account: LoyaltyAccountRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO loyalty_accounts (\(LoyaltyAccountRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (number) DO NOTHING
            """,
            [
                .id(account.accountID), .integer(account.number), .integer(account.merchantID),
                .text(account.integrationID), .optional(account.cardTemplate), .optional(account.activationStore),
                .time(account.enrolledAt), .optional(account.phoneDigest),
            ]) == 1
    }

    /// One point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> LoyaltyAccountRecord? {
        try connection.row(
            "SELECT \(LoyaltyAccountRecord.columns) FROM loyalty_accounts WHERE account_id = $1", [.id(id)]
        ).map(LoyaltyAccountRecord.init)
    }

    /// The accounts that are found by a phone number.
    /// - Parameters:
    ///   - digest: of the number.
    ///   - merchants: which enrolled them; the accounts of others neither are found nor count.
    ///   - limit: more than one account is an answer too.
    package static func find(
        phone digest: [UInt8], of merchants: some Collection<Int64>, limit: Int, on connection: any SQLConnection
    ) throws -> [LoyaltyAccountRecord] {
        guard !merchants.isEmpty else { return [] }
        let placeholders = (0..<merchants.count).map { "$\($0 + 3)" }.joined(separator: ", ")
        return try connection.query(
            """
            SELECT \(LoyaltyAccountRecord.columns) FROM loyalty_accounts
            WHERE phone_digest = $1 AND merchant_id IN (\(placeholders)) ORDER BY account_id LIMIT $2
            """, [.blob(digest), .integer(Int64(limit))] + merchants.map { .integer($0) }
        ).map(LoyaltyAccountRecord.init)
    }

    /// Takes a number from the other accounts that are found by it.
    /// - Parameters:
    ///   - digest: of the number.
    ///   - merchants: which enrolled them; the accounts of others keep it. `nil` for all of the number's brand.
    ///   - owner: the account whose number it is now.
    /// - Returns: the accounts that had it.
    package static func releasePhone(
        _ digest: [UInt8], of merchants: [Int64]?, exceptFor owner: UniqueID, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        let enrolledBy = merchants ?? []
        guard merchants == nil || !enrolledBy.isEmpty else { return [] }
        let placeholders = (0..<enrolledBy.count).map { "$\($0 + 3)" }.joined(separator: ", ")
        let condition = merchants == nil ? "" : "AND merchant_id IN (\(placeholders))"
        return try connection.query(
            """
            UPDATE loyalty_accounts SET phone_digest = NULL
            WHERE phone_digest = $1 AND account_id <> $2 \(condition) RETURNING account_id
            """, [.blob(digest), .id(owner)] + enrolledBy.map { .integer($0) }
        ).map { try $0.id("account_id") }
    }

    /// Replaces the number by which an account is found, if it is a loyalty account.
    /// - Parameter digest: of the number; `nil` for none.
    /// - Returns: whether it is one.
    @discardableResult
    package static func setPhone(
        _ digest: [UInt8]?, of id: UniqueID, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE loyalty_accounts SET phone_digest = $2 WHERE account_id = $1", [.id(id), .optional(digest)]) == 1
    }

    /// Gives an account's number to another that has none. No guest is found by a phone number there until it is proved again: it was
    /// proved for the former account.
    package static func move(
        _ id: UniqueID, to other: UniqueID, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE loyalty_accounts SET account_id = $2, phone_digest = NULL WHERE account_id = $1",
            [.id(id), .id(other)])
    }

    /// Deletes an account's enrollments and number, for its erasure.
    package static func remove(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM loyalty_enrollments WHERE account_id = $1", [.id(id)])
        try connection.execute("DELETE FROM loyalty_accounts WHERE account_id = $1", [.id(id)])
    }
}

/// Remembers enrollments whose answer may have been lost. It owns the `loyalty_enrollments` table.
package enum LoyaltyEnrollments {
    /// Stores the result of an authorization code, or the account that was created with it.
    /// - Parameters:
    ///   - sealed: the target Loyalty defines the content.
    ///   - digest: over client, integration and code: 32 bytes.
    ///   - account: `nil` while there is none.
    package static func remember(
        _ sealed: [UInt8], under digest: [UInt8], account: UniqueID?, until expiresAt: Timestamp,
        on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO loyalty_enrollments (digest, account_id, sealed, expires_at) VALUES ($1, $2, $3, $4)
            ON CONFLICT (digest) DO UPDATE SET account_id = $2, sealed = $3, expires_at = $4
            """, [.blob(digest), .id(account), .blob(sealed), .time(expiresAt)])
    }

    /// Reserves a key for one of several processes, by a row without content. One statement decides.
    /// - Parameters:
    ///   - digest: of a key that no enrollment has: 32 bytes.
    ///   - end: when another process may take it, if this one never gives it back.
    /// - Returns: whether it was free.
    package static func take(
        _ digest: [UInt8], until end: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO loyalty_enrollments (digest, account_id, sealed, expires_at) VALUES ($1, NULL, $2, $3)
            ON CONFLICT (digest) DO UPDATE SET expires_at = $3 WHERE loyalty_enrollments.expires_at <= $4
            """, [.blob(digest), .blob([]), .time(end), .time(now)]) == 1
    }

    /// Gives a key back, unless another process has taken it since.
    package static func give(_ digest: [UInt8], until end: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM loyalty_enrollments WHERE digest = $1 AND expires_at = $2", [.blob(digest), .time(end)])
    }

    /// - Returns: `nil` if nothing is stored or it has expired.
    package static func find(
        _ digest: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> [UInt8]? {
        try connection.row(
            "SELECT sealed FROM loyalty_enrollments WHERE digest = $1 AND expires_at > $2",
            [.blob(digest), .time(now)])?.blob("sealed")
    }
}
