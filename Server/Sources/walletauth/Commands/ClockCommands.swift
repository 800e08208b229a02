import ArgumentParser
import AuthAdministration

struct ClockCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Confirm the time after a leap of the clock.",
        discussion: LocatingSettings.discussion,
        subcommands: [ClockAccept.self])
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
