import ArgumentParser

struct KeysCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Keys that sign and seal.",
        discussion: LocatingSettings.discussion,
        subcommands: [KeysList.self, KeysRotate.self])
}
