import ArgumentParser
import AuthAdministration

struct OutboxCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "List the messages to people, and retry their delivery.",
        discussion: LocatingSettings.discussion,
        subcommands: [OutboxList.self, OutboxRetry.self])
}

struct OutboxList: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the latest messages, without content or address.")

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.list)
    }
}

struct OutboxRetry: AdministrativeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try a message again at once, even if it was given up.")

    @OptionGroup var message: IDOptions

    @OptionGroup var output: OutputOptions

    func command() throws -> AdministrationCommand {
        .outbox(.retry(id: try message.value))
    }
}
