import ArgumentParser

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
        version: Version.current,
        subcommands: [
            ServeCommand.self, ClientCommands.self, MerchantCommands.self, AccountCommands.self, DeviceCommands.self,
            PasskeyCommands.self, BrandCommands.self, ProviderCommands.self, OutboxCommands.self,
            KeysCommands.self, DatabaseCommands.self, AuditCommands.self, DoctorCommand.self, ConfigurationCommand.self,
        ])
}

extension WalletAuthCommand {
    /// The subcommand that a command line names, as far as it names one: `walletauth client create`.
    static func named(in arguments: [String]) -> String {
        var words = ["walletauth"]
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else {
                continue
            }
            words.append(argument)
            command = next
        }
        return words.joined(separator: " ")
    }
}

/// The program's version.
enum Version {
    static let current = "0.1.0"
}
