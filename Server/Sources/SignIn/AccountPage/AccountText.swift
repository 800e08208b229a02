import Core

/// The texts of the account page. Texts that it shares with other pages are in ``PageText``.
enum AccountText: String, TextKey {
    static let section = "account"

    // The sign-in before the page.
    case signInLead, signInAgainLead, administrationLead, eraseAgainLead, removeDeviceAgainLead,
        removePasskeyAgainLead

    // The overview: its groups, and the states of their rows.
    case heading, lead, cookieLead, signInGroup, passwordSince, passwordSet, passwordUnset, identitySince,
        emailLabel, unconfirmed, phoneLabel, authenticatorLabel, isOn, isOff, recoveryCodesLabel,
        codesLeft, devicesLabel, deviceUsed, sessionsLabel, browserSession, browserOnSystem, thisBrowser,
        sessionSince, sessionUsed, sessionNetwork, none, deviceSuspended, deviceDeactivated, deviceAwaitsCode,
        offerLead,
        authenticatorFirst, codesOfferLead, codesReplaceLead

    // The buttons of its rows. A screen reader reads the row's heading after the button.
    case changeLabel, setUpLabel, createLabel, replaceLabel, manageLabel, removeLabel, endLabel, endOthersLabel,
        signOutLabel

    /// Contains the name of a device, `{device}`.
    case deviceCodeHeading
    case deviceCodeLead, deviceConfirmed, noSuchDevice

    // A new password.
    case passwordLead, savePasswordLabel, passwordChanged, passwordAdded

    // Removing something.
    case removeAuthenticatorHeading, removeAuthenticatorLead, authenticatorRemoved
    /// Contains the name of a device, `{device}`.
    case removeDeviceHeading
    case removeDeviceLead, deviceRemoved, sessionEnded, othersEnded

    // Setting up an authenticator app.
    case setUpHeading, setUpLead, symbolLabel, openAppLabel, typeLead, codeLabel, codeHint, backLabel

    // New recovery codes.
    case codesHeading, codesWarning, codesReplaced, codesPrint, codesCopyLabel, codesCopied, codesNotCopied,
        codesPrintLabel, codesSavedLabel, codesContinueLabel

    // Notices.
    case authenticatorOn, invalidCode, nothingPending, recoveredLately, onlyRestoredIdentity, strongerSignInNeeded

    // An operator's one-time link. The lead contains the user name, `{user}`.
    case welcomeHeading, welcomeLead, welcomeOverHeading, welcomeOver, roleGranted, consoleLabel

    // Features that a browser does not offer.
    case notPossibleHeading, notPossible, authenticatorNeededHeading, authenticatorNeeded, codeUndeliverableHeading,
        codeUndeliverable
}

extension TextSource {
    var accountText: Texts<AccountText> { texts() }
}
