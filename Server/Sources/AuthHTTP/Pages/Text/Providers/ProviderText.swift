/// The texts about identity providers in one language. A translation with a missing text does not compile.
///
/// `{provider}`, `{brand}` and `{email}` are placeholders that ``PageText/fill(_:_:)`` fills.
struct ProviderText: Sendable {
    // On the sign-in page.
    let divider: String
    /// The wording a vendor prescribes for its service.
    let signInLabel: String
    let continueLabel: String

    // On the page that offers an account.
    let newAccountHeading: String
    let newAccountLead: String
    let emailLine: String
    let termsLine: String
    let termsLabel: String
    let createLabel: String

    // On the way to a provider.
    let leaving: String

    // Notices about the provider's answer.
    let declined: String
    let failed: String
    let sessionOld: String
    let unavailable: String
    let gone: String
    let answerUsed: String
    let nameTaken: String
}

extension PageLanguage {
    var providerText: ProviderText {
        switch self {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
