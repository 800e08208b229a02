import ArgumentParser
import AuthAdministration
import AuthCore

/// Ends a device's sessions and refuses its sign-ins until it is reactivated.
struct DeviceDeactivate: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate", abstract: "End a device's sessions and refuse its sign-ins until it is reactivated.")

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.transition(.deactivate, id: id))
    }
}
