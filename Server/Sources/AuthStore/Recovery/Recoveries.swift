package import AuthCore

/// The facts of recoveries that wait for their code. It owns the `recoveries` table.
package enum Recoveries {
    /// Answers to one recovery that are compared; the schema knows the number as well.
    package static let mostTries: Int64 = 5
    /// Codes asked for during one recovery; the schema knows the number as well.
    package static let mostSends: Int64 = 3

    /// Opens a recovery.
    package static func open(_ recovery: RecoveryRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO recoveries (\(RecoveryRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                .id(recovery.id), .id(recovery.accountID), .blob(recovery.budget), .optional(recovery.ceiling),
                .integer(recovery.securityVersion),
                .blob(recovery.code.mac), .integer(Int64(recovery.code.keyID.value)), .time(recovery.code.expiresAt),
                .integer(recovery.sends), .time(recovery.sentAt), .integer(recovery.tries), .time(recovery.expiresAt),
            ])
    }

    /// The recovery of an id, while it may go on.
    package static func find(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> RecoveryRecord? {
        try connection.row(
            "SELECT \(RecoveryRecord.columns) FROM recoveries WHERE id = $1 AND expires_at > $2",
            [.id(id), .time(now)]
        ).map(RecoveryRecord.init)
    }

    /// Takes one of a recovery's tries, before anything is compared: of a thousand answers at once five get a try.
    ///
    /// - Returns: the recovery with the try counted; `nil` when none is left, or it is over.
    /// - Throws: ``StoreError``.
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

    /// Counts one more sending, and puts a new code in the place of the one before. The tries go on counting.
    ///
    /// - Parameters:
    ///   - id: the recovery.
    ///   - code: what is kept of the new code; `nil` where none goes out, and the one before stays good.
    ///   - earliest: a code sent after this moment forbids another.
    ///   - now: when it is sent.
    ///   - connection: the connection of a write.
    /// - Returns: whether it counted; `false` too soon, too often, or after the end.
    /// - Throws: ``StoreError``.
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

    /// Ends a recovery: its code was right, or its tries are spent.
    ///
    /// - Parameters:
    ///   - id: the recovery.
    ///   - mac: the code that was compared: another one sent meanwhile keeps it open.
    ///   - connection: the connection of a write.
    /// - Returns: whether this call ended it: of several right answers at once one goes on.
    /// - Throws: ``StoreError``.
    package static func end(_ id: UniqueID, mac: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM recoveries WHERE id = $1 AND code_mac = $2", [.id(id), .blob(mac)]) == 1
    }

    /// Ends every one of an account, as a new password does.
    package static func endAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM recoveries WHERE account_id = $1", [.id(account)])
    }
}
