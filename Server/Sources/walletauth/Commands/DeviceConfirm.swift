import ArgumentParser
import AuthFlows

/// Confirms an installation in place of its code.
struct DeviceConfirm: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm the installation of a device, in place of the code sent to its holder.",
        discussion: """
            For people whom the code does not reach. Make sure by another way that the device is theirs: the code protects \
            against somebody who knows the password and has put the app on a device of their own.
            """)

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.confirm(id: id))
    }
}
