import ArgumentParser
import AuthAdministration

struct KeysList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the keys, without key material.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .keys(.list)
    }
}
