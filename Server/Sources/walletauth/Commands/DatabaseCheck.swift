import ArgumentParser
import AuthAdministration

struct DatabaseCheck: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read the whole database and look for damage.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.check)
    }
}
