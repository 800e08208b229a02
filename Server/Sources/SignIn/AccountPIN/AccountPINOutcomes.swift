package import Core

/// An account's PIN, as its holder sees it on the account's page.
package struct AccountPINOverview: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        case unset
        /// It opens the account.
        case active
        /// Locked by wrong guesses. Setting another unlocks it.
        case locked
        /// Locked by a restore of the database. Setting another unlocks it.
        case lockedByRestore
    }

    package var state: State
    /// Whether one can be set. If the operator turned PINs off, it can still be removed.
    package var isOffered: Bool
    /// End of the cooling period (`devices.coolingPeriod`), in which the PIN authorizes no payment; `nil` without a PIN and
    /// afterwards.
    package var coolingUntil: Timestamp?
}

/// A change that the holder requested.
package enum AccountPINChange: Sendable {
    /// Set this PIN in place of any other; the fault if it is not acceptable.
    case set(Result<AccountPIN, AccountPINFault>)
    case remove
}
