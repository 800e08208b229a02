package import Core

/// The texts about the account PIN.
package enum AccountPINText: String, TextKey {
    package static let section = "accountPIN"

    // On the sign-in and consent pages.
    case label, useLabel, wrong, triedOften, forgotLabel
    /// Contains the address of the account page, `{address}`.
    case forgotten

    // On the account page.
    case lead, isLocked

    // On the PIN page.
    case heading, pageLead, lockedLead
    /// After a restored backup locked the PIN.
    case restoredLead
    case offLead, newLabel, newHint, repeatLabel, saveLabel, removeLabel

    // Notices.
    case wasSet
    /// Contains the time, `{time}`.
    case cooling
    case wasRemoved, malformed, tooShort, tooLong, mistyped, tooCommon
}

extension TextSource {
    package var accountPINText: Texts<AccountPINText> { texts() }
}
