import ArgumentParser
import AuthAdministration
import AuthCore

/// Ends a device's sessions and refuses its sign-ins until it is resumed.
struct DeviceSuspend: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend", abstract: "End a device's sessions and refuse its sign-ins until it is resumed.")

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.transition(.suspend, id: id))
    }
}
