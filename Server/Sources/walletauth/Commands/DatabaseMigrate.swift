import ArgumentParser
import AuthFlows

/// Brings the schema up to date.
struct DatabaseMigrate: AdministrativeCommand {
    static let configuration = CommandConfiguration(commandName: "migrate", abstract: "Bring the schema up to date.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.migrate)
    }
}
