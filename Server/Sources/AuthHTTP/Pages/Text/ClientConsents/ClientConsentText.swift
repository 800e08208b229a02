/// The texts about third-party apps in one language: the consent page, and "Apps with access" on the account page.
/// Texts shared with other pages are in ``PageText``.
///
/// `{client}`, `{user}`, `{scope}`, `{address}` and `{date}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ClientConsentText: Sendable {
    // The consent page.
    let heading: String
    let moreHeading: String
    let againHeading: String
    let lead: String
    let newHeading: String
    let grantedHeading: String
    /// Above the scopes that are requested again, and above the app's other scopes.
    let askedHeading: String
    let alsoHeading: String
    let destinationLabel: String
    let deviceDestination: String
    let warning: String
    let allowLabel: String

    // What a scope lets an app do.
    let openID: String
    let profile: String
    let email: String
    let phone: String
    let address: String
    let offlineAccess: String
    /// Names one of the operator's own scopes.
    let ownScope: String

    // The account page.
    let appsHeading: String
    let appsLead: String
    let manageLabel: String
    let pageLead: String
    let none: String
    let since: String
    let removeLabel: String
    let wasRemoved: String
    let unknown: String
}

extension PageLanguage {
    var clientConsentText: ClientConsentText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
