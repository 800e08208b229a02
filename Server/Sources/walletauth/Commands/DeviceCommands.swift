import ArgumentParser

struct DeviceCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Enrolled devices of people.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            DeviceList.self, DeviceSuspend.self, DeviceResume.self, DeviceDeactivate.self, DeviceReactivate.self,
            DeviceConfirm.self, DeviceRemove.self,
        ])
}
