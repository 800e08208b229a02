import AppleSignIn
import ArgumentParser
import AuthAdministration

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Prepares accounts for the transfer of an app to another team at Apple.
struct ProviderTransfer: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Prepare people who sign in with Apple for the transfer of the app to another team.",
        discussion: """
            Run it before the transfer, while the app still belongs to the old team, until it says that everyone is \
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
