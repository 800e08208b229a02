internal import Core

/// The sentences that messages of several flows share.
package enum MessageWording: String, TextKey {
    package static let section = "messageParts"

    case time, device
    /// The user name of the account, for a person with several.
    case accountName
    /// How long a new PIN cannot approve payments.
    case cooling
    case codeLife, codeAdvice, recoveryAdvice, newContactAdvice, ignoreAdvice, protectAdvice, askAdvice
    /// What to remove besides a new password: the placeholder `{remedy}`.
    case removeDevices, removePasskey, removeIdentity, removeAuthenticator, replaceRecoveryCodes
    /// What opens a deactivated wallet again.
    case deactivatedByFailures, deactivatedOtherwise
    /// What to do about a refused operation, depending on who started it.
    case refusalAdvice
    case footer
    /// The amount and the payee. The account comes before the name, because the payee chose the name and a phone's lock screen
    /// shows only the beginning.
    case payment
    /// States that the payments of a series need no further consent.
    case series
    /// States that payments to a payee no longer need consent.
    case trust
    /// States that payments to a payee need consent again.
    case distrust
    case smsCode, smsProtectAdvice, smsAskAdvice
}
