package import AuthCore

/// An account's PIN, as its holder sees it on the account's page.
package struct AccountPINOverview: Sendable, Hashable {
    /// Whether one is set, and opens the account.
    package enum State: String, Sendable, Hashable {
        /// There is none.
        case unset
        /// It opens the account.
        case active
        /// Too many wrong ones were typed: it opens nothing until another is set.
        case locked
        /// A restore of the database locked it: it opens nothing until another is set.
        case lockedByRestore
    }

    /// Whether one is set, and opens the account.
    package var state: State
    /// Whether one can be set: what the operator turned off can still be taken away.
    package var isOffered: Bool
    /// Until when it agrees to no payment (`devices.coolingPeriod`); `nil` where there is none, and once that is over.
    package var coolingUntil: Timestamp?
}

/// What a person asked to be done with the PIN of their account.
package enum AccountPINChange: Sendable {
    /// Set this one, in the place of whatever was there; a fault for what can be none.
    case set(Result<AccountPIN, AccountPINFault>)
    /// Take it away.
    case remove
}

/// Why nothing was changed.
enum AccountPINRefusal: Error, Sendable, Hashable {
    /// As for any factor.
    case factor(FactorRefusal)
    /// The new one breaks a rule.
    case unacceptable(AccountPINFault)
}
