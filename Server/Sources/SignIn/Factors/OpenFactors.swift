package import Core
package import Store
package import WalletAuthWire

/// A second factor that a sign-in waits for.
package struct OpenFactorRecord: Sendable, Hashable {
    /// 16 random bytes.
    package var id: UniqueID
    package var accountID: UniqueID
    package var kind: FactorKind
    /// The code that was sent; `nil` if there is none or it is void.
    package var code: Code?
    /// The codes sent during the sign-in.
    package var sends: Int64 = 0
    package var sentAt: Timestamp?
    /// The answers reserved during the sign-in.
    package var tries: Int64 = 0
    /// The end of the sign-in.
    package var expiresAt: Timestamp

    /// The stored form of a code, which is not the code.
    package struct Code: Sendable, Hashable {
        /// A MAC over the factor's id and the code.
        package var mac: [UInt8]
        /// The key of the MAC.
        package var keyID: KeyID
        package var expiresAt: Timestamp

        package init(mac: [UInt8], keyID: KeyID, expiresAt: Timestamp) {
            self.mac = mac
            self.keyID = keyID
            self.expiresAt = expiresAt
        }
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, accountID, kind, codeMAC, macKeyID, codeExpiresAt, sends, sentAt, tries, expiresAt
    }

    static let columns = Column.list()
}

extension OpenFactorRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), accountID: try row.id(.accountID), kind: try row.name(.kind),
            expiresAt: try row.time(.expiresAt))
        if let mac = try row.optionalBlob(.codeMAC) {
            code = Code(
                mac: mac, keyID: KeyID(UInt32(clamping: try row.integer(.macKeyID))),
                expiresAt: try row.time(.codeExpiresAt))
        }
        sends = try row.integer(.sends)
        sentAt = try row.optionalTime(.sentAt)
        tries = try row.integer(.tries)
    }
}

/// Reads and writes the second factors that sign-ins wait for. It owns the `open_factors` table.
package enum OpenFactors {
    /// The answers of one sign-in that are compared; the schema has the same number.
    package static let mostTries: Int64 = 5
    /// The codes sent during one sign-in; the schema has the same number.
    package static let mostSends: Int64 = 3

    /// - Returns: whether it is new; `false` if there is one with this id.
    @discardableResult
    package static func open(_ factor: OpenFactorRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO open_factors (id, account_id, kind, sends, tries, expires_at) VALUES ($1, $2, $3, 0, 0, $4)
            ON CONFLICT (id) DO NOTHING
            """, [.id(factor.id), .id(factor.accountID), .name(factor.kind), .time(factor.expiresAt)]) == 1
    }

    /// Removes a factor whose sign-in has ended, before the sweep does, so that its id can be used again.
    package static func removeExpired(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM open_factors WHERE id = $1 AND expires_at <= $2", [.id(id), .time(now)])
    }

    /// Finds a factor whose sign-in may go on.
    package static func find(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> OpenFactorRecord? {
        try connection.row(
            "SELECT \(OpenFactorRecord.columns) FROM open_factors WHERE id = $1 AND expires_at > $2",
            [.id(id), .time(now)]
        ).map(OpenFactorRecord.init)
    }

    /// Reserves one of the sign-in's attempts with one guarded statement, before any comparison: of a thousand
    /// concurrent answers five get an attempt.
    /// - Returns: the factor with the attempt counted; `nil` if none is left or the sign-in has ended.
    package static func reserveTry(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> OpenFactorRecord? {
        try connection.row(
            """
            UPDATE open_factors SET tries = tries + 1 WHERE id = $1 AND tries < $2 AND expires_at > $3
            RETURNING \(OpenFactorRecord.columns)
            """, [.id(id), .integer(mostTries), .time(now)]
        ).map(OpenFactorRecord.init)
    }

    /// Takes a reserved attempt back: its answer counts neither as right nor as wrong.
    package static func refundTry(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE open_factors SET tries = tries - 1 WHERE id = $1 AND tries > 0", [.id(id)])
    }

    /// Stores a new code, which voids the one before. Attempts stay counted.
    /// - Parameters:
    ///   - code: the stored form of the code.
    ///   - earliest: a code sent after this time forbids another.
    /// - Returns: whether it may be sent; `false` if it is too soon, too often, or after the end.
    package static func send(
        _ id: UniqueID, _ code: OpenFactorRecord.Code, unlessSentAfter earliest: Timestamp, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE open_factors
            SET code_mac = $2, mac_key_id = $3, code_expires_at = $4, sends = sends + 1, sent_at = $5
            WHERE id = $1 AND sends < $6 AND (sent_at IS NULL OR sent_at <= $7) AND expires_at > $5
                AND kind IN ('email', 'sms')
            """,
            [
                .id(id), .blob(code.mac), .integer(Int64(code.keyID.value)), .time(code.expiresAt), .time(now),
                .integer(mostSends), .time(earliest),
            ]) == 1
    }

    /// Changes to another factor, which voids a code sent for the former. Attempts and codes stay counted.
    /// - Returns: whether the sign-in was still open.
    package static func choose(
        _ kind: FactorKind, for id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE open_factors SET kind = $2, code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL
            WHERE id = $1 AND expires_at > $3
            """, [.id(id), .name(kind), .time(now)]) == 1
    }

    /// Ends a factor after its proof or its last attempt.
    /// - Parameters:
    ///   - kind: the factor that was compared. If another was chosen meanwhile, nothing ends.
    ///   - mac: the code that was compared, if any. If another was sent meanwhile, the sign-in stays open.
    /// - Returns: whether this call ended it. Of several concurrent correct answers, one continues.
    package static func end(
        _ id: UniqueID, as kind: FactorKind, mac: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM open_factors
            WHERE id = $1 AND kind = $2 AND COALESCE(code_mac, $4) = COALESCE($3, $4)
            """, [.id(id), .name(kind), .optional(mac), .blob([])]) == 1
    }

    /// Ends all of an account's factors, for example after a new password.
    package static func endAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM open_factors WHERE account_id = $1", [.id(account)])
    }
}
