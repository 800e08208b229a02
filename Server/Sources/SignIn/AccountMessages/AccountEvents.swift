internal import Kernel

/// The events of accounts in the audit log, whichever flow causes them.
///
/// This folder owns the events and messages of accounts that several floors above cause: sign-in, self-service and operators.
package enum AccountEvent: String, SecurityEventKind, CaseIterable {
    case created = "account.created"
    case deactivated = "account.deactivated"
    case reactivated = "account.reactivated"
    case erased = "account.erased"
    case exported = "account.exported"
    case profileChanged = "account.profile_changed"
    case emailVerified = "account.email_verified"
    case emailChanged = "account.email_changed"
    case emailRemoved = "account.email_removed"
    case phoneChanged = "account.phone_changed"
    case phoneRemoved = "account.phone_removed"
    /// The account gets no one-time passwords for guests any more: the number has been proved for another one, or entered there by an
    /// operator.
    case phoneReleased = "account.phone_released"
    case passwordChanged = "account.password_changed"
    case passwordExpired = "account.password_expired"
    case signInFailures = "account.sign_in_failures"
}
