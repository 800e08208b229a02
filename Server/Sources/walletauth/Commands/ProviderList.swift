import ArgumentParser
import AuthAdministration

struct ProviderList: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the providers.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .provider(.list)
    }
}
