import ArgumentParser

/// Identity providers.
struct ProviderCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Identity providers: by whose word a brand's people may sign in.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            ProviderAdd.self, ProviderList.self, ProviderShow.self, ProviderCheck.self, ProviderTransfer.self,
            ProviderRemove.self,
        ])
}

/// Adds a provider of one of the kinds.
struct ProviderAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider.",
        subcommands: [
            ProviderAddOIDC.self, ProviderAddApple.self, ProviderAddGoogle.self, ProviderAddRepository.self,
        ]
    )
}

/// Which provider is meant.
struct ProviderOptions: ParsableArguments {
    @OptionGroup var provider: IDOptions

    @Option(help: "The brand; `default` where it is left out.")
    var brand: String?
}

/// What is said of a provider of either kind.
struct ProviderTrustOptions: ParsableArguments {
    @Option(help: "What apps call it.")
    var id: String

    @Option(help: "The brand whose people may come by it; `default` where it is left out.")
    var brand: String?

    @Flag(
        name: .customLong("trust-email"),
        help: """
            Trust the provider when it says that an e-mail address is verified. Without this flag a code confirms the \
            address.
            """)
    var trustsEmail = false

    @Flag(
        name: .customLong("email-counts"),
        help: """
            Count a code by e-mail as a second factor after its word. Right only where its accounts open none of your \
            people's mailboxes; without it such a code counts for nothing there.
            """)
    var countsEmail = false

    @Flag(
        name: .customLong("internal"),
        help: "It lies in your own network: let the server connect to private addresses for it.")
    var isInternal = false
}
