import ArgumentParser
import AuthAdministration
import AuthCore

/// Lets a suspended device sign in again.
struct DeviceResume: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a suspended device sign in again.")

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.transition(.resume, id: id))
    }
}
