import ArgumentParser
import Programs

/// The root of the subcommands.
struct WalletAuthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walletauth",
        abstract: "Sign people into wallet and payment apps.",
        discussion: """
            While `serve` runs, the other subcommands reach it through the Unix socket beside the database; otherwise \
            they open the database themselves. Those that administer print text for a person or, with --json, one \
            JSON document.
            """,
        version: ProgramVersion.current,
        subcommands: [
            ServeCommand.self, ClientCommands.self, MerchantCommands.self, AccountCommands.self, DeviceCommands.self,
            PasskeyCommands.self, BrandCommands.self, ProviderCommands.self, OutboxCommands.self,
            KeysCommands.self, DatabaseCommands.self, AuditCommands.self, DoctorCommand.self, ConfigurationCommand.self,
        ])
}
