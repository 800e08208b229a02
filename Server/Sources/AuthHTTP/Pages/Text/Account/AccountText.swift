import AuthCore

/// The texts of the account page in one language. Texts shared with other pages are in ``PageText``.
///
/// `{user}` and `{count}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct AccountText: PageTranslation {
    // The sign-in before the page.
    let signInLead: String
    let signInAgainLead: String

    // The overview.
    let heading: String
    let lead: String
    let emailLabel: String
    let unconfirmed: String
    let phoneLabel: String
    let authenticatorLabel: String
    let isOn: String
    let isOff: String
    let recoveryCodesLabel: String
    let codesLeft: String
    let devicesLabel: String
    let none: String
    let deviceSuspended: String
    let deviceDeactivated: String
    let deviceAwaitsCode: String
    /// Contains the name of a device, `{device}`.
    let deviceCodeHeading: String
    let deviceCodeLead: String
    let deviceConfirmed: String
    let noSuchDevice: String
    let offerLead: String
    let offerLabel: String
    let replaceLead: String
    let replaceLabel: String
    let codesOfferLead: String
    let codesReplaceLead: String
    let makeCodesLabel: String
    let signOutLabel: String

    // Setting up an authenticator app.
    let setUpHeading: String
    let setUpLead: String
    let symbolLabel: String
    let openAppLabel: String
    let typeLead: String
    let codeLabel: String
    let codeHint: String
    let backLabel: String

    // New recovery codes.
    let codesHeading: String
    let codesWarning: String
    let codesPrint: String

    // Notices.
    let authenticatorOn: String
    let invalidCode: String
    let nothingPending: String
    let recoveredLately: String
    let onlyRestoredIdentity: String
    let strongerSignInNeeded: String

    // Features that a browser does not offer.
    let notPossibleHeading: String
    let notPossible: String
}

extension Language {
    var accountText: AccountText { translation() }
}
