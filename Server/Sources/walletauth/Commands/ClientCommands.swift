import ArgumentParser

struct ClientCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Apps and backends that sign people in.",
        discussion: LocatingSettings.discussion,
        subcommands: [ClientCreate.self, ClientList.self, ClientShow.self, ClientUpdate.self, ClientDelete.self])
}
