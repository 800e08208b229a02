import ArgumentParser

struct DatabaseCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "The database.",
        discussion: LocatingSettings.discussion,
        subcommands: [
            DatabaseMigrate.self, DatabaseCheck.self, DatabaseSweep.self, DatabaseBackup.self, DatabaseRestore.self,
            DatabaseRestored.self, DatabaseChangeIssuer.self,
        ])
}
