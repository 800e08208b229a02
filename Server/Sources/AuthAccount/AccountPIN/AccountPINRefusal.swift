internal import AuthCore

/// Why nothing was changed.
enum AccountPINRefusal: Error, Sendable, Hashable {
    /// A reason common to all factors.
    case factor(FactorRefusal)
    /// The new PIN breaks a rule.
    case unacceptable(AccountPINFault)
}
