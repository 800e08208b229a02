import ArgumentParser
import AuthAdministration

/// Removes a device permanently: its sessions end, and its holder must enroll it again.
struct DeviceRemove: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a device permanently: its sessions end, and it has to be enrolled again.")

    @Argument(help: "The device id, as `device list` shows it.")
    var id: String

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.remove(id: id))
    }
}
