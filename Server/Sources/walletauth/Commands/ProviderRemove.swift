import ArgumentParser
import AuthAdministration

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
