import ArgumentParser
import AuthAdministration

/// Confirms an installation, in place of the code that its holder would type.
struct DeviceConfirm: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm the installation of a device without the code sent to its holder.",
        discussion: """
            For people who cannot receive the code. First make sure in another way that the device is theirs: the \
            code protects against attackers who know the password and set up the app on their own device.
            """)

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.confirm(id: id))
    }
}
