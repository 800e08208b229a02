import ArgumentParser
import Kernel
import Operations

struct DeviceCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "List, suspend and remove people's enrolled devices.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            DeviceList.self, DeviceSuspend.self, DeviceResume.self, DeviceDeactivate.self, DeviceReactivate.self,
            DeviceConfirm.self, DeviceRemove.self,
        ])
}

struct DeviceList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices of an account.")

    @OptionGroup var account: AccountOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .device(.list(try account.reference))
    }
}

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
