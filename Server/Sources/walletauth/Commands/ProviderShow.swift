import ArgumentParser
import AuthAdministration

struct ProviderShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show everything about a provider, except its secret.")

    @OptionGroup var options: ProviderOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.show(id: try options.provider.value, brand: options.brand))
    }
}
