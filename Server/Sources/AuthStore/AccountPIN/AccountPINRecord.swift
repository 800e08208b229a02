package import AuthCore
package import WalletAuthWire

/// A row of an account PIN, with which an account is opened on a hosted page.
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
    /// When a guess was last charged; `nil` if there was none since the PIN was set, or before this was recorded.
    package var chargedAt: Timestamp?

    /// Whether no guess is left. If the process ended during the last comparison, the state is still active, but
    /// nothing is compared any more.
    package var isUsedUp: Bool { failed >= AccountPINLimits.inARow || failedTotal >= AccountPINLimits.altogether }

    package var isOpen: Bool { state == .active && !isUsedUp }

    /// Why no guess is compared; `nil` if one would be. With guesses left, a restore locked the PIN.
    package var lockReason: PINLockReason? { isOpen ? nil : isUsedUp ? .tooManyTries : .restore }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = """
        account_id, version, hash, state, failed, failed_total, set_at, locked_at, cooling_until, charged_at
        """

    init(_ row: SQLRow) throws {
        accountID = try row.id(0)
        version = try row.id(1)
        hash = try row.blob(2)
        state = try row.name(3)
        failed = try row.integer(4)
        failedTotal = try row.integer(5)
        setAt = try row.time(6)
        lockedAt = try row.optionalTime(7)
        coolingUntil = try row.time(8)
        chargedAt = try row.optionalTime(9)
    }
}
