import ArgumentParser
import Programs

struct WalletAuthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walletauth",
        abstract: "Sign people into wallet and payment apps.",
        discussion: """
            While `serve` runs, the other subcommands reach it through the Unix socket next to the database; \
            otherwise they open the database themselves. Administrative commands print text or, with --json, one JSON \
            document.
            """,
        version: ProgramVersion.current,
        subcommands: [
            ServeCommand.self, ClientCommands.self, MerchantCommands.self, AccountCommands.self, DeviceCommands.self,
            PasskeyCommands.self, BrandCommands.self, ProviderCommands.self, OutboxCommands.self,
            KeysCommands.self, DatabaseCommands.self, AuditCommands.self, TransactionCommands.self, DoctorCommand.self,
            ConfigurationCommand.self,
        ])
}

extension WalletAuthCommand {
    /// A text of swift-argument-parser. If it is a command's help, adds the flags that ``SettingFlags`` extracts, which
    /// the parser does not know. `serve` and `doctor` list every setting themselves.
    static func completed(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: "), !text.contains("SETTINGS (") else {
            return text
        }
        var help = text
        while help.last == "\n" { help.removeLast() }
        return help + """


            Settings such as --config, --database and --master-key-file can be given here too; \
            `walletauth configuration` describes them.
            """
    }
}
