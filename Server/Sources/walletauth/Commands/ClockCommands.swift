import ArgumentParser
import AuthAdministration

struct ClockCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Compare the clocks, and confirm the time after a leap.",
        discussion: LocatingSettings.discussion,
        subcommands: [ClockShow.self, ClockAccept.self])
}

struct ClockShow: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the time, and whether the clocks agree.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .clock(.show)
    }
}

struct ClockAccept: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Confirm that this machine's clock is right: requests are served and expired data is removed again.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .clock(.accept)
    }
}
