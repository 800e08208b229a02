import ArgumentParser
import AuthFlows

/// Lists the keys.
struct KeysList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "One line for each key, never key material.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .keys(.list)
    }
}
