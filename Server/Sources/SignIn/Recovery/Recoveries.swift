package import Core
package import Store

/// A recovery that waits for the code that was sent.
package struct RecoveryRecord: Sendable, Hashable {
    /// 16 random bytes.
    package var id: UniqueID
    /// `nil` if no account has the name or nothing can be sent to it. No code is correct then.
    package var accountID: UniqueID?
    /// The counter of its messages: the account (or the unknown name) with its device or network. 32 bytes.
    package var budget: [UInt8]
    /// The common counter of messages from all devices that the account does not know; `nil` for a known device.
    package var ceiling: [UInt8]?
    /// The account's security version at the beginning; zero if there is no account.
    package var securityVersion: Int64
    package var code: OpenFactorRecord.Code
    /// The codes requested.
    package var sends: Int64 = 1
    package var sentAt: Timestamp
    /// The answers reserved.
    package var tries: Int64 = 0
    package var expiresAt: Timestamp

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, accountID, budget, ceiling, securityVersion, codeMAC, macKeyID, codeExpiresAt, sends, sentAt, tries
        case expiresAt
    }

    static let columns = Column.list()
}

extension RecoveryRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id), accountID: try row.optionalID(.accountID), budget: try row.blob(.budget),
            ceiling: try row.optionalBlob(.ceiling), securityVersion: try row.integer(.securityVersion),
            code: OpenFactorRecord.Code(
                mac: try row.blob(.codeMAC), keyID: KeyID(UInt32(clamping: try row.integer(.macKeyID))),
                expiresAt: try row.time(.codeExpiresAt)),
            sentAt: try row.time(.sentAt), expiresAt: try row.time(.expiresAt))
        sends = try row.integer(.sends)
        tries = try row.integer(.tries)
    }
}

/// Reads and writes recoveries that wait for their code. It owns the `recoveries` table.
package enum Recoveries {
    /// The answers of one recovery that are compared; the schema has the same number.
    package static let mostTries: Int64 = 5
    /// The codes requested during one recovery; the schema has the same number.
    package static let mostSends: Int64 = 3

    /// - Returns: whether it is new; `false` if there is one with this id.
    @discardableResult
    package static func open(_ recovery: RecoveryRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO recoveries (\(RecoveryRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT (id) DO NOTHING
            """,
            [
                .id(recovery.id), .id(recovery.accountID), .blob(recovery.budget), .optional(recovery.ceiling),
                .integer(recovery.securityVersion),
                .blob(recovery.code.mac), .integer(Int64(recovery.code.keyID.value)), .time(recovery.code.expiresAt),
                .integer(recovery.sends), .time(recovery.sentAt), .integer(recovery.tries), .time(recovery.expiresAt),
            ]) == 1
    }

    /// Removes a recovery that has expired, before the sweep does, so that its id can be used again.
    package static func removeExpired(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM recoveries WHERE id = $1 AND expires_at <= $2", [.id(id), .time(now)])
    }

    /// Finds a recovery that has not expired.
    package static func find(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> RecoveryRecord? {
        try connection.row(
            "SELECT \(RecoveryRecord.columns) FROM recoveries WHERE id = $1 AND expires_at > $2",
            [.id(id), .time(now)]
        ).map(RecoveryRecord.init)
    }

    /// Reserves one of a recovery's attempts before any comparison: of a thousand concurrent answers five get an
    /// attempt.
    /// - Returns: the recovery with the attempt counted; `nil` if none is left or it has ended.
    package static func reserveTry(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> RecoveryRecord? {
        try connection.row(
            """
            UPDATE recoveries SET tries = tries + 1 WHERE id = $1 AND tries < $2 AND expires_at > $3
            RETURNING \(RecoveryRecord.columns)
            """, [.id(id), .integer(mostTries), .time(now)]
        ).map(RecoveryRecord.init)
    }

    /// Counts a request for a code, and stores the new code. Attempts stay counted.
    /// - Parameters:
    ///   - code: the stored form of the new code; `nil` if none is sent and the old one stays valid.
    ///   - earliest: a code sent after this time forbids another.
    /// - Returns: whether it counted; `false` if it is too soon, too often, or after the end.
    package static func send(
        _ id: UniqueID, _ code: OpenFactorRecord.Code?, unlessSentAfter earliest: Timestamp, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE recoveries SET code_mac = COALESCE($2, code_mac), mac_key_id = COALESCE($3, mac_key_id),
                code_expires_at = COALESCE($4, code_expires_at), sends = sends + 1, sent_at = $5
            WHERE id = $1 AND sends < $6 AND sent_at <= $7 AND expires_at > $5
            """,
            [
                .id(id), .optional(code?.mac), .optional(code.map { Int64($0.keyID.value) }), .time(code?.expiresAt),
                .time(now), .integer(mostSends), .time(earliest),
            ]) == 1
    }

    /// Ends a recovery after the correct code or its last attempt.
    /// - Parameter mac: the code that was compared. If another was sent meanwhile, the recovery stays open.
    /// - Returns: whether this call ended it. Of several concurrent correct answers, one continues.
    package static func end(_ id: UniqueID, mac: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM recoveries WHERE id = $1 AND code_mac = $2", [.id(id), .blob(mac)]) == 1
    }

    /// Ends all of an account's recoveries, for example after a new password.
    package static func endAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM recoveries WHERE account_id = $1", [.id(account)])
    }
}
