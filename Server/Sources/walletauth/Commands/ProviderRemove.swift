import ArgumentParser
import AuthFlows

/// Removes a provider.
struct ProviderRemove: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a provider. Whoever is linked by it stays linked, and cannot come by it while it is gone.")

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.remove(id: try options.provider.value, brand: options.brand))
    }
}
