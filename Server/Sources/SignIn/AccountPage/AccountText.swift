import Core
import Web

/// The texts of the account page. Texts that it shares with other pages are in ``PageText``.
enum AccountText: String, TextKey {
    static let section = "account"

    // The sign-in before the page.
    case signInLead, signInAgainLead

    // The overview.
    case heading, lead, emailLabel, unconfirmed, phoneLabel, authenticatorLabel, isOn, isOff, recoveryCodesLabel,
        codesLeft, devicesLabel, none, deviceSuspended, deviceDeactivated, deviceAwaitsCode
    /// Contains the name of a device, `{device}`.
    case deviceCodeHeading
    case deviceCodeLead, deviceConfirmed, noSuchDevice, offerLead, offerLabel, replaceLead, replaceLabel,
        codesOfferLead, codesReplaceLead, makeCodesLabel, signOutLabel

    // Setting up an authenticator app.
    case setUpHeading, setUpLead, symbolLabel, openAppLabel, typeLead, codeLabel, codeHint, backLabel

    // New recovery codes.
    case codesHeading, codesWarning, codesPrint

    // Notices.
    case authenticatorOn, invalidCode, nothingPending, recoveredLately, onlyRestoredIdentity, strongerSignInNeeded

    // Features that a browser does not offer.
    case notPossibleHeading, notPossible
}

extension TextSource {
    var accountText: Texts<AccountText> { texts() }
}
