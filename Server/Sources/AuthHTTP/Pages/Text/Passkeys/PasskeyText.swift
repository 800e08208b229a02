/// The texts about passkeys in one language. A translation with a missing text does not compile.
///
/// `{date}` and `{count}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct PasskeyText: Sendable {
    // On the sign-in page.
    let signInLabel: String
    let signInFailed: String
    let refused: String

    // On the consent page.
    let agreeLabel: String
    let agreeFailed: String
    let wrongForConsent: String

    // On the account page.
    let label: String
    let lead: String
    let manageLabel: String

    // On the passkey page.
    let heading: String
    let pageLead: String
    let none: String
    let nameLabel: String
    let renameLabel: String
    let removeLabel: String
    let added: String
    let used: String
    let neverUsed: String
    let synced: String
    let formerDomain: String
    let addHeading: String
    let addLead: String
    let addLabel: String
    let addFailed: String
    let known: String
    let unsupported: String
    let tooMany: String

    // Notices.
    let wasAdded: String
    let wasRenamed: String
    let wasRemoved: String
    let notTaken: String
    let unusableName: String
    let lastWayIn: String
    let unknown: String
}

extension PageLanguage {
    var passkeyText: PasskeyText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
