import Apple
import ArgumentParser
import Operations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ProviderCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider", abstract: "Add, check and remove the identity providers that people may sign in with.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            ProviderAdd.self, ProviderList.self, ProviderShow.self, ProviderCheck.self, ProviderTransfer.self,
            ProviderRemove.self,
        ])
}

struct ProviderOptions: ParsableArguments {
    @OptionGroup var provider: IDOptions

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?
}

struct ProviderList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the providers.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.list)
    }
}

struct ProviderShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything about a provider, except its secret.")

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.show(id: try options.provider.value, brand: options.brand))
    }
}

/// Checks whether people can sign in with a provider.
struct ProviderCheck: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether people can sign in with a provider, and report what it would refuse.",
        discussion: """
            This reads what an OpenID provider publishes. For Apple, it also requests tokens with a code that cannot \
            exist: the response shows whether team id, key and client ids belong together.
            """)

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.check(id: try options.provider.value, brand: options.brand))
    }
}

/// Prepares accounts for the transfer of an app to another team at Apple.
struct ProviderTransfer: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Prepare people who sign in with Apple for the transfer of the app to another team.",
        discussion: """
            Run it before the transfer, while the app still belongs to the old team, until it reports that everyone is \
            prepared. Apple gives everyone a new identifier in the new team; people who were prepared keep their \
            accounts.
            """)

    @OptionGroup var options: ProviderOptions

    @Option(help: "The id of the new team, ten characters.")
    var toTeam: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        let command = AppleCommand.transfer(id: try options.provider.value, brand: options.brand, team: toTeam)
        return .flow(name: AppleVendor.kind, command: Array(try JSONEncoder().encode(command)))
    }
}

struct ProviderRemove: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a provider. Links to it stay, but people cannot sign in with it until it is added again.")

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.remove(id: try options.provider.value, brand: options.brand))
    }
}
