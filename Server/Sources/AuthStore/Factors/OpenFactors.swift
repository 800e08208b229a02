package import AuthCore
package import WalletAuthWire

/// The facts of second factors that sign-ins wait for. It owns the `open_factors` table.
package enum OpenFactors {
    /// Answers to one sign-in that are compared; the schema knows the number as well.
    package static let mostTries: Int64 = 5
    /// Codes sent during one sign-in; the schema knows the number as well.
    package static let mostSends: Int64 = 3

    /// Opens a factor.
    package static func open(_ factor: OpenFactorRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO open_factors (id, account_id, kind, sends, tries, expires_at) VALUES ($1, $2, $3, 0, 0, $4)
            """, [.id(factor.id), .id(factor.accountID), .name(factor.kind), .time(factor.expiresAt)])
    }

    /// The factor of an id, while its sign-in may go on.
    package static func find(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> OpenFactorRecord? {
        try connection.row(
            "SELECT \(OpenFactorRecord.columns) FROM open_factors WHERE id = $1 AND expires_at > $2",
            [.id(id), .time(now)]
        ).map(OpenFactorRecord.init)
    }

    /// Takes one of the sign-in's tries.
    ///
    /// One guarded statement, before anything is compared: of a thousand answers at once five get a try.
    ///
    /// - Returns: the factor with the try counted; `nil` when none is left, or the sign-in is over.
    /// - Throws: ``StoreError``.
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

    /// Puts a new code in the place of the one before, which is void from then on. The tries go on counting.
    ///
    /// - Parameters:
    ///   - id: the factor.
    ///   - code: what is kept of the code.
    ///   - earliest: a code sent after this moment forbids another.
    ///   - now: when it is sent.
    ///   - connection: the connection of a write.
    /// - Returns: whether it may be sent; `false` too soon, too often, or after the end.
    /// - Throws: ``StoreError``.
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

    /// Asks for another factor; a code that was sent for the former is void. Tries and sendings go on counting.
    ///
    /// - Returns: whether the sign-in was still open.
    /// - Throws: ``StoreError``.
    package static func choose(
        _ kind: FactorKind, for id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE open_factors SET kind = $2, code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL
            WHERE id = $1 AND expires_at > $3
            """, [.id(id), .name(kind), .time(now)]) == 1
    }

    /// Ends a factor: it was proved, or its tries are spent.
    ///
    /// - Parameters:
    ///   - id: the factor.
    ///   - kind: what was compared; where another was chosen meanwhile, nothing ends.
    ///   - mac: the code that was compared, where one was: another one sent meanwhile keeps the sign-in open.
    ///   - connection: the connection of a write.
    /// - Returns: whether this call ended it: of several right answers at once one goes on.
    /// - Throws: ``StoreError``.
    package static func end(
        _ id: UniqueID, as kind: FactorKind, mac: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM open_factors
            WHERE id = $1 AND kind = $2 AND COALESCE(code_mac, $4) = COALESCE($3, $4)
            """, [.id(id), .name(kind), .optional(mac), .blob([])]) == 1
    }

    /// Ends every one of an account, as a new password does.
    package static func endAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM open_factors WHERE account_id = $1", [.id(account)])
    }
}
