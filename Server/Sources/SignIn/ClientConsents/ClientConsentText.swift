import Core

/// The texts about third-party apps, on the consent page and on the account page.
enum ClientConsentText: String, TextKey {
    static let section = "clientConsent"

    // The consent page.
    case heading, moreHeading, againHeading, lead, newHeading, grantedHeading
    /// Above the scopes that are requested again, and above the app's other scopes.
    case askedHeading
    case alsoHeading, destinationLabel, deviceDestination, warning, deviceWarning, allowLabel, leaveLabel

    // What a scope lets an app do.
    case openID, profile, email, phone, address, offlineAccess, accounts, payments

    // The account page.
    case appsHeading, appsLead, manageLabel, pageLead, none, since, removeLabel, wasRemoved, unknown
}

extension TextSource {
    var clientConsentText: Texts<ClientConsentText> { texts() }
}
