import ArgumentParser
import AuthAdministration

struct DatabaseMigrate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Create the database if there is none, or bring its schema up to date.")

    var makesDatabase: Bool { true }

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .database(.migrate)
    }
}
