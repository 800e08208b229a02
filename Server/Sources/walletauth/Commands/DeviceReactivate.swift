import ArgumentParser
import AuthAdministration
import AuthCore

/// Lets a deactivated device sign in again, and resets its failure count.
struct DeviceReactivate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactivate", abstract: "Let a deactivated device sign in again; its failures are reset.")

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.transition(.reactivate, id: id))
    }
}
