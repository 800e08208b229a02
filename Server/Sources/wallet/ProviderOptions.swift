import ArgumentParser

/// Sign-in with an identity provider: by its page, by its user repository, or with Apple.
struct ProviderOptions: ParsableArguments {
    @Option(
        name: .customLong("federated"),
        help: ArgumentHelp("Sign in with an identity provider.", valueName: "provider"))
    var name: String?

    @Option(
        name: .customLong("provider-page"),
        help: ArgumentHelp("The provider's authorization endpoint, shown in the browser.", valueName: "url"))
    var page: String?

    @Option(
        name: .customLong("provider-client-id"),
        help: ArgumentHelp(
            "The wallet server's client id at the provider; for Apple, the app's bundle id, by default this client's id.",
            valueName: "id"))
    var clientID: String?

    @OptionGroup var apple: AppleOptions

    @Option(
        name: .customLong("new-username"),
        help: ArgumentHelp(
            "The user name for your new account, if the provider knows you and the server does not.",
            valueName: "name"))
    var newUsername: String?

    @Option(
        help: ArgumentHelp(
            "The user name of your existing account: sign in to it, and use the provider from then on.",
            valueName: "name"))
    var join: String?

    /// Whether there is an option that only makes sense with `--federated`.
    var hasDetails: Bool {
        page != nil || clientID != nil || newUsername != nil || join != nil || apple.isNamed
    }

    /// The action for an identity that is not linked to an account.
    var unlinkedIdentity: TerminalSignIn.UnlinkedIdentity {
        if let newUsername { return .create(newUsername) }
        return join.map(TerminalSignIn.UnlinkedIdentity.link) ?? .askForName
    }
}
