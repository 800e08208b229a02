import ArgumentParser

struct PasskeyCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "Passkeys of people.",
        discussion: LocatingSettings.discussion,
        subcommands: [PasskeyList.self, PasskeyRemove.self])
}
