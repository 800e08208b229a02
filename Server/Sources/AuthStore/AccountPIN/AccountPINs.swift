package import AuthCore

/// The facts of accounts' PINs. It owns the `account_pins` table.
package enum AccountPINs {
    /// The PIN of an account; `nil` where it has none.
    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> AccountPINRecord? {
        try connection.row(
            "SELECT \(AccountPINRecord.columns) FROM account_pins WHERE account_id = $1", [.id(account)]
        ).map(AccountPINRecord.init)
    }

    /// Charges a guess before it is compared.
    ///
    /// One statement decides and counts: of a thousand at once five are compared.
    /// - Parameters:
    ///   - account: whose PIN is guessed.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: the row with the guess charged; `nil` where there is no PIN or no guess is left, and nothing may be compared.
    /// - Throws: ``StoreError``.
    package static func charge(
        _ account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountPINRecord? {
        try connection.row(
            """
            UPDATE account_pins SET failed = failed + 1, spent = spent + 1, charged_at = $4
            WHERE account_id = $1 AND state = 'active' AND failed < $2 AND spent < $3
            RETURNING \(AccountPINRecord.columns)
            """,
            [
                .id(account), .integer(AccountPINLimits.inARow), .integer(AccountPINLimits.altogether), .time(now),
            ]
        ).map(AccountPINRecord.init)
    }

    /// Gives a right guess its charge back, and begins a new row of wrong ones.
    ///
    /// - Parameters:
    ///   - account: whose PIN it is.
    ///   - version: the PIN that it was compared with; another one, or one that is locked by now, proves nothing.
    ///   - hash: a hash of the same PIN to put in the place of the one before, sealed; `nil` leaves that.
    ///   - connection: the connection of a write.
    /// - Returns: whether it counts.
    /// - Throws: ``StoreError``.
    package static func prove(
        _ account: UniqueID, version: UniqueID, rehashed hash: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_pins SET failed = 0, spent = spent - 1, hash = COALESCE($3, hash)
            WHERE account_id = $1 AND version = $2 AND state = 'active' AND spent > 0
            """, [.id(account), .id(version), .optional(hash)]) == 1
    }

    /// Locks a PIN whose guesses are used up.
    ///
    /// - Parameters:
    ///   - account: whose PIN it is.
    ///   - version: the PIN that the last guess was compared with.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was locked now: not where a right guess came in between, and not twice.
    /// - Throws: ``StoreError``.
    package static func lock(
        _ account: UniqueID, version: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_pins SET state = 'locked', locked_at = $3
            WHERE account_id = $1 AND version = $2 AND state = 'active' AND (failed >= $4 OR spent >= $5)
            """,
            [
                .id(account), .id(version), .time(now), .integer(AccountPINLimits.inARow),
                .integer(AccountPINLimits.altogether),
            ]) == 1
    }

    /// Sets a PIN in the place of whatever was there, with every guess before it.
    ///
    /// - Parameters:
    ///   - account: whose PIN it is.
    ///   - version: names it; random.
    ///   - hash: its hash, sealed.
    ///   - former: the version that it takes the place of; `nil` for none.
    ///   - cooling: until when it counts for no payment.
    ///   - now: when.
    ///   - connection: the connection of a write.
    /// - Returns: whether the one before was still the one named; when not, nothing was written.
    /// - Throws: ``StoreError``.
    package static func set(
        _ account: UniqueID, version: UniqueID, hash: [UInt8], replacing former: UniqueID?,
        coolingUntil cooling: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard try find(account, on: connection)?.version == former else { return false }
        try connection.execute(
            """
            INSERT INTO account_pins (\(AccountPINRecord.columns)) VALUES ($1, $2, $3, 'active', 0, 0, $4, NULL, $5, NULL)
            ON CONFLICT (account_id) DO UPDATE SET version = $2, hash = $3, state = 'active', failed = 0, spent = 0,
                set_at = $4, locked_at = NULL, cooling_until = $5, charged_at = NULL
            """, [.id(account), .id(version), .blob(hash), .time(now), .time(cooling)])
        return true
    }

    /// Whether an account has a PIN, and one that is past its cooling period.
    /// - Throws: ``StoreError``.
    package static func isSettled(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM account_pins WHERE account_id = $1 AND cooling_until <= $2", [.id(account), .time(now)])
            != nil
    }

    /// The accounts of a brand that have a PIN, by their id.
    /// - Parameters:
    ///   - brand: whose accounts.
    ///   - last: the last of those before; `nil` from the beginning.
    ///   - limit: how many at most.
    ///   - connection: any connection.
    /// - Throws: ``StoreError``.
    package static func accounts(
        of brand: String, after last: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT p.account_id FROM account_pins p JOIN accounts a ON a.id = p.account_id
            WHERE a.brand_id = $1 AND p.account_id > $2 ORDER BY p.account_id LIMIT $3
            """, [.text(brand), last.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map { try $0.id(0) }
    }

    /// Takes the PIN of an account away.
    /// - Returns: whether it had one.
    /// - Throws: ``StoreError``.
    package static func remove(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM account_pins WHERE account_id = $1", [.id(account)]) == 1
    }
}

extension Sessions {
    /// Ends an account's sessions that its PIN opened, which no device's key stood beside: a device's own PIN is another one.
    /// - Returns: how many it ended.
    /// - Throws: ``StoreError``.
    @discardableResult
    package static func endAll(
        ofAccountPIN account: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        return try connection.execute(
            """
            UPDATE sessions SET revoked_at = $2, revoked_reason = $3
            WHERE account_id = $1 AND revoked_at IS NULL AND (' ' || amr || ' ') LIKE '% pin %'
                AND (' ' || amr || ' ') NOT LIKE '% swk %' AND (' ' || amr || ' ') NOT LIKE '% hwk %'
            """, [.id(account), .time(now), .name(why)])
    }
}
