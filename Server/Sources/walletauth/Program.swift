import ArgumentParser
import CMalloc
import Operations
import Programs

/// The program from its command line to its exit code.
enum Program {
    /// Runs the subcommand on the command line.
    ///
    /// - Parameter arguments: the command line without the program's name.
    /// - Returns: the exit code: 0 for success, 1 for a refusal or failure, 64 for an invalid command line, or one of
    ///   ``ExitStatus``.
    static func run(arguments: [String], environment: [String: String]) async -> Int32 {
        // All files the program writes (database, log, key, socket, backup) are private to their owner from the first
        // byte.
        umask(0o077)
        // A reader that has gone (a closed pipe or connection) is an error to handle; it must not end the process.
        signal(SIGPIPE, SIG_IGN)
        do {
            var flags = try SettingFlags(taking: settings(for: arguments), from: arguments)
            flags.rest = WalletAuthCommand.commandFirst(flags.rest, moving: OutputOptions.self)
            try WalletAuthCommand.refuseHelpForUnknown(flags.rest)
            // What the parser builds for all commands would stay in a server's memory.
            var command: any ParsableCommand =
                try flags.rest == ["serve"] ? ServeCommand.parse([]) : WalletAuthCommand.parseAsRoot(flags.rest)
            if let command = command as? any ProgramCommand {
                try await command.run(in: Invocation(flags: flags, environment: environment))
            } else {
                try command.run()
            }
            return 0
        } catch {
            return report(error, arguments: arguments)
        }
    }

    /// The settings accepted as flags on this command line. A server accepts all of them. Other subcommands accept only
    /// those that locate the database, next to their own options.
    static func settings(for arguments: [String]) -> [any DeclaredSetting] {
        // Flags may come before the subcommand, and the value of one is no subcommand.
        let words = (try? SettingFlags(taking: Settings.all, from: arguments))?.rest ?? arguments
        return switch words.first(where: { !$0.hasPrefix("-") }) {
        case "serve", "doctor": Settings.all
        default: Settings.locating
        }
    }

    /// Reports an error in one line, or all faults of a configuration; to a script, also in a document.
    private static func report(_ error: any Error, arguments: [String]) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        if WalletAuthCommand.exitCode(for: error) == .success {
            let text = WalletAuthCommand.completed(WalletAuthCommand.fullMessage(for: error))
            Terminal.write(text + "\n", to: .standardOutput)
            return 0
        }
        let settings = Self.settings(for: arguments)
        let own = WalletAuthCommand.commandFirst(
            (try? SettingFlags(taking: settings, from: arguments))?.rest ?? arguments, moving: OutputOptions.self)
        let failure = FailureReport(
            error, in: own, flags: settings.filter { $0.sources.contains(.flag) }.map(\.flag))
        // If standard output cannot be written, the line is all that is left.
        if FailureDocument.isRequested(by: own) { try? Terminal.say(json: failure.document) }
        Terminal.complain(failure.line)
        return failure.status
    }
}

/// Limits the memory that the process keeps without using it.
enum ProcessMemory {
    /// Configures the allocator to return unused memory. Call it before the first thread starts.
    ///
    /// glibc gives each thread its own arena, and each arena keeps what its thread once needed. Four arenas are enough
    /// for the threads that allocate at the same time here. glibc also takes the release of a large block as a sign
    /// that more will come, and keeps it: the 19 MiB of a password hash, forever. With these settings, blocks of one
    /// megabyte or more return to the system when they are freed.
    static func keepLittle() {
        allocator_keeps_little(4, 1 << 20)
    }

    /// Gives back the pages of code that only the start needed: reading the configuration, looking up conformances, opening the
    /// database. Requests fetch what they use from the file system's cache again.
    static func forgetStart() {
        code_pages_are_dropped()
    }
}

struct WalletAuthCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "walletauth",
        abstract: "Sign people in to wallet and payment apps.",
        discussion: """
            A sandbox, and in another terminal, in the same folder, an account and an app's client:

              walletauth serve
              walletauth account create ada --password-stdin
              walletauth client create com.example.wallet --name "Example Wallet" \\
                  --public --first-party --redirect-uri http://127.0.0.1/callback \\
                  --scope "openid profile offline_access"

            While `serve` runs, the other subcommands reach it through the Unix socket next to the database; \
            otherwise they open the database themselves. With PostgreSQL they always do, and every server picks up the change. \
            Administrative commands print text or, with --json, one JSON document.
            """,
        version: ProgramVersion.current,
        subcommands: [ServeCommand.self]
            + Administration.nouns.filter { !$0.title.contains(" ") }.map { $0.subcommand }
            + [TransactionCommands.self, DoctorCommand.self, ConfigurationCommand.self])
}

extension WalletAuthCommand {
    /// A text of swift-argument-parser. If it is a command's help, its required options come first, and the flags follow that
    /// ``SettingFlags`` extracts, which the parser does not know. `serve` and `doctor` list every setting themselves.
    static func completed(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") || text.hasPrefix("USAGE: "), !text.contains("SETTINGS (") else {
            return text
        }
        var help = CommandHelp.requiredFirst(text)
        while help.last == "\n" { help.removeLast() }
        return help + """

            Settings such as --config, --database and --master-key-file are accepted here too; \
            `walletauth configuration` describes them.
            """
    }
}
