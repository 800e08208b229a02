import ArgumentParser

/// Messages to people.
struct OutboxCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Messages to people: how their delivery stands.",
        discussion: LocatingSettings.discussion,
        subcommands: [OutboxList.self, OutboxRetry.self])
}
