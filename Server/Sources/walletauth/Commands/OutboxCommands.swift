import ArgumentParser

struct OutboxCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Messages to people and their delivery.",
        discussion: LocatingSettings.discussion,
        subcommands: [OutboxList.self, OutboxRetry.self])
}
