import ArgumentParser

struct ProviderCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Identity providers with which a brand's people may sign in.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            ProviderAdd.self, ProviderList.self, ProviderShow.self, ProviderCheck.self, ProviderTransfer.self,
            ProviderRemove.self,
        ])
}

struct ProviderAdd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a provider.",
        subcommands: [
            ProviderAddOIDC.self, ProviderAddApple.self, ProviderAddGoogle.self, ProviderAddRepository.self,
        ]
    )
}

struct ProviderOptions: ParsableArguments {
    @OptionGroup var provider: IDOptions

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?
}

/// The options that every kind of provider has.
struct ProviderTrustOptions: ParsableArguments {
    @Option(help: "The id that apps use for it.")
    var id: String

    @Option(help: "The brand whose people may sign in with it; `default` if omitted.")
    var brand: String?

    @Flag(
        name: .customLong("trust-email"),
        help: """
            Trust the provider when it says that an e-mail address is verified. Without this flag, the person \
            confirms the address with a code.
            """)
    var trustsEmail = false

    @Flag(
        name: .customLong("email-counts"),
        help: """
            Count a code by e-mail as a second factor after a sign-in with it. This is right only if its accounts do \
            not open your people's mailboxes; without this flag, such a code does not count.
            """)
    var countsEmail = false

    @Flag(
        name: .customLong("internal"),
        help: "It is in your own network: let the server connect to private addresses for it.")
    var isInternal = false
}
