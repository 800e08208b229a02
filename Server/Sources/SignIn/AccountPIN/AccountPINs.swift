package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// A row of an account PIN, with which an account is opened on a hosted page or in a first-party app.
package struct AccountPINRecord: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        /// Guesses are compared.
        case active
        /// Too many were wrong. Nothing is compared until a new PIN is set.
        case locked
    }

    package let accountID: UniqueID
    /// Identifies the PIN that was set; each one has its own.
    package var version: UniqueID
    /// Sealed.
    package var hash: [UInt8]
    package var state: State
    /// Guesses charged since the last correct one.
    package var failed: Int64
    /// Guesses charged since the PIN was set, except for correct ones.
    package var failedTotal: Int64
    package var setAt: Timestamp
    package var lockedAt: Timestamp?
    /// Until then it does not count for payments.
    package var coolingUntil: Timestamp
    /// When a guess was last charged; `nil` if there was none since the PIN was set.
    package var chargedAt: Timestamp?

    /// Whether no guess is left. If the process ended during the last comparison, the state is still active, but
    /// nothing is compared any more.
    package var isUsedUp: Bool { failed >= AccountPINLimits.inARow || failedTotal >= AccountPINLimits.altogether }

    package var isOpen: Bool { state == .active && !isUsedUp }

    /// Why no guess is compared; `nil` if one would be. With guesses left, a restore locked the PIN.
    package var lockReason: PINLockReason? { isOpen ? nil : isUsedUp ? .tooManyTries : .restore }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case accountID, version, hash, state, failed, failedTotal, setAt, lockedAt, coolingUntil, chargedAt
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        accountID = try row.id(.accountID)
        version = try row.id(.version)
        hash = try row.blob(.hash)
        state = try row.name(.state)
        failed = try row.integer(.failed)
        failedTotal = try row.integer(.failedTotal)
        setAt = try row.time(.setAt)
        lockedAt = try row.optionalTime(.lockedAt)
        coolingUntil = try row.time(.coolingUntil)
        chargedAt = try row.optionalTime(.chargedAt)
    }
}

/// Reads and writes account PINs. It owns the `account_pins` table.
package enum AccountPINs {
    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> AccountPINRecord? {
        try connection.row(
            "SELECT \(AccountPINRecord.columns) FROM account_pins WHERE account_id = $1", [.id(account)]
        ).map(AccountPINRecord.init)
    }

    /// Charges a guess before the comparison.
    ///
    /// One statement decides and counts: of a thousand concurrent guesses five are compared.
    /// - Returns: the row with the guess charged; `nil` if there is no PIN or no guess is left. Nothing may be compared
    ///   then.
    package static func charge(
        _ account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountPINRecord? {
        try connection.row(
            """
            UPDATE account_pins SET failed = failed + 1, failed_total = failed_total + 1, charged_at = $4
            WHERE account_id = $1 AND state = 'active' AND failed < $2 AND failed_total < $3
            RETURNING \(AccountPINRecord.columns)
            """,
            [
                .id(account), .integer(AccountPINLimits.inARow), .integer(AccountPINLimits.altogether), .time(now),
            ]
        ).map(AccountPINRecord.init)
    }

    /// Takes back the charge of a correct guess, and resets the count of consecutive wrong ones.
    /// - Parameters:
    ///   - version: the PIN of the comparison. If it was replaced or locked since, the guess proves nothing.
    ///   - hash: a new hash of the same PIN, sealed; `nil` keeps the old one.
    /// - Returns: whether the guess counts.
    package static func prove(
        _ account: UniqueID, version: UniqueID, rehashed hash: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_pins SET failed = 0, failed_total = failed_total - 1, hash = COALESCE($3, hash)
            WHERE account_id = $1 AND version = $2 AND state = 'active' AND failed_total > 0
            """, [.id(account), .id(version), .optional(hash)]) == 1
    }

    /// Locks a PIN without guesses.
    /// - Parameter version: the PIN of the last comparison.
    /// - Returns: whether this call locked it. It does not if a correct guess came in between.
    package static func lock(
        _ account: UniqueID, version: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE account_pins SET state = 'locked', locked_at = $3
            WHERE account_id = $1 AND version = $2 AND state = 'active' AND (failed >= $4 OR failed_total >= $5)
            """,
            [
                .id(account), .id(version), .time(now), .integer(AccountPINLimits.inARow),
                .integer(AccountPINLimits.altogether),
            ]) == 1
    }

    /// Sets a PIN, in place of any earlier one and its guesses.
    /// - Parameters:
    ///   - version: a random id for it.
    ///   - hash: its hash, sealed.
    ///   - former: the version that it replaces; `nil` for none.
    ///   - cooling: the end of the period in which it does not count for payments.
    /// - Returns: whether the PIN was still `former`; if not, nothing was written.
    package static func set(
        _ account: UniqueID, version: UniqueID, hash: [UInt8], replacing former: UniqueID?,
        coolingUntil cooling: Timestamp, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard try find(account, on: connection)?.version == former else { return false }
        try connection.execute(
            """
            INSERT INTO account_pins (\(AccountPINRecord.columns)) VALUES ($1, $2, $3, 'active', 0, 0, $4, NULL, $5, NULL)
            ON CONFLICT (account_id) DO UPDATE SET version = $2, hash = $3, state = 'active', failed = 0,
                failed_total = 0, set_at = $4, locked_at = NULL, cooling_until = $5, charged_at = NULL
            """, [.id(account), .id(version), .blob(hash), .time(now), .time(cooling)])
        return true
    }

    /// Whether an account has a PIN past its cooling period.
    package static func isSettled(
        of account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM account_pins WHERE account_id = $1 AND cooling_until <= $2", [.id(account), .time(now)])
            != nil
    }

    /// A page of a brand's accounts with a PIN, in the order of their ids.
    /// - Parameter last: the last one of the previous page; `nil` for the first page.
    package static func accounts(
        of brand: String, after last: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [UniqueID] {
        try connection.query(
            """
            SELECT p.account_id FROM account_pins p JOIN accounts a ON a.id = p.account_id
            WHERE a.brand_id = $1 AND p.account_id > $2 ORDER BY p.account_id LIMIT $3
            """, [.text(brand), last.map { .id($0) } ?? .blob([]), .integer(Int64(limit))]
        ).map { try $0.id("account_id") }
    }

    /// - Returns: whether the account had a PIN.
    package static func remove(of account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM account_pins WHERE account_id = $1", [.id(account)]) == 1
    }
}

extension Sessions {
    /// Ends the sessions that the account PIN opened: those with a PIN and without a device's key. A device PIN is
    /// another one.
    /// - Returns: the number ended.
    @discardableResult
    package static func endAll(
        ofAccountPIN account: UniqueID, because why: SessionEnd, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        try Accounts.distrustDevices(of: account, because: why, now: now, on: connection)
        return try end(
            where: """
                account_id = $3 AND (' ' || amr || ' ') LIKE '% pin %'
                    AND (' ' || amr || ' ') NOT LIKE '% swk %' AND (' ' || amr || ' ') NOT LIKE '% hwk %'
                """, [.id(account)], because: why, now: now, on: connection
        ).count
    }
}
