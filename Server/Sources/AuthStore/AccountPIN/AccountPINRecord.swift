package import AuthCore
package import WalletAuthWire

/// A row of `account_pins`: the PIN by which an account is opened on a hosted page.
package struct AccountPINRecord: Sendable, Hashable {
    /// Where it is in its life.
    package enum State: String, Sendable, Hashable {
        /// Guesses are compared.
        case active
        /// Too many were wrong: nothing is compared until it is set anew.
        case locked
    }

    /// Whose it is.
    package let accountID: UniqueID
    /// Names what was set; the next one has another name.
    package var version: UniqueID
    /// The PIN's hash, sealed.
    package var hash: [UInt8]
    /// Where it is in its life.
    package var state: State
    /// Guesses charged since the last right one.
    package var failed: Int64
    /// Guesses charged since it was set, but for the right ones.
    package var spent: Int64
    /// When it was set.
    package var setAt: Timestamp
    /// When it was locked.
    package var lockedAt: Timestamp?
    /// Until when it counts for no payment.
    package var coolingUntil: Timestamp
    /// When a guess was last charged; `nil` for none since it was set, and where it was not kept yet.
    package var chargedAt: Timestamp?

    /// Whether no guess is left. The one that is being compared may have been the last and the process have ended: then the state
    /// still says otherwise, and nothing is compared all the same.
    package var isUsedUp: Bool { failed >= AccountPINLimits.inARow || spent >= AccountPINLimits.altogether }

    /// Whether a guess would be compared.
    package var isOpen: Bool { state == .active && !isUsedUp }

    /// Why no guess is compared; `nil` where one would be. A locked PIN with guesses left was locked by a restore.
    package var lockReason: PINLockReason? { isOpen ? nil : isUsedUp ? .tooManyTries : .restore }

    /// The columns that ``init(_:)`` reads, in its order.
    static let columns = "account_id, version, hash, state, failed, spent, set_at, locked_at, cooling_until, charged_at"

    init(_ row: SQLRow) throws {
        accountID = try row.id(0)
        version = try row.id(1)
        hash = try row.blob(2)
        state = try row.name(3)
        failed = try row.integer(4)
        spent = try row.integer(5)
        setAt = try row.time(6)
        lockedAt = try row.optionalTime(7)
        coolingUntil = try row.time(8)
        chargedAt = try row.optionalTime(9)
    }
}
