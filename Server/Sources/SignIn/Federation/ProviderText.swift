import Core

/// The texts about identity providers.
enum ProviderText: String, TextKey {
    static let section = "providers"

    // On the sign-in page.
    case divider
    /// The wording a vendor prescribes for its service.
    case signInLabel
    case continueLabel

    // On the page that offers an account.
    case newAccountHeading, newAccountLead, existingAccountHint, existingAccountLabel, emailLine, termsLine, termsLabel,
        createLabel

    // On the way to a provider.
    case leaving

    // Notices about the provider's answer.
    case declined, failed, sessionOld, unavailable, gone, answerUsed, nameTaken
}

extension TextSource {
    var providerText: Texts<ProviderText> { texts() }
}
