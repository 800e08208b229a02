import ArgumentParser
import AuthAdministration

/// Removes expired rows.
struct DatabaseSweep: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "sweep", abstract: "Remove what has expired.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.sweep)
    }
}
