import ArgumentParser
import AuthStore
import NIOCore
import OneLineText
import Programs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program from its command line to its exit code.
enum Program {
    /// Runs the subcommand that the command line names.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program's name.
    ///   - environment: The environment variables.
    /// - Returns: The exit code: 0 done, 1 refused or failed, 64 not understood, and those of ``ExitStatus``.
    static func run(arguments: [String], environment: [String: String]) async -> Int32 {
        // Whatever the program writes (database, log, key, socket, backup) is its owner's alone, from the first byte.
        umask(0o077)
        // A reader that went away (a closed pipe, a closed connection) is an error to handle, not the process's end.
        signal(SIGPIPE, SIG_IGN)
        do {
            let flags = try SettingFlags(taking: settings(for: arguments), from: arguments)
            var command = try WalletAuthCommand.parseAsRoot(flags.rest)
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

    /// The settings that may stand as flags on this command line. A server takes them all; the other subcommands have
    /// options of their own beside those that locate the database.
    private static func settings(for arguments: [String]) -> [any DeclaredSetting] {
        switch arguments.first(where: { !$0.hasPrefix("-") }) {
        case "serve", "doctor": Settings.all
        default: Settings.locating
        }
    }

    /// A message of swift-argument-parser's, which does not know the flags of the settings.
    ///
    /// - Returns: The message; where it names an unknown option that is like a flag, it suggests that flag.
    static func suggesting(_ flags: [String], in message: String) -> String {
        guard let unknown = message.prefixMatch(of: #/Unknown option '(--[^']+)'/#),
            let flag = Spelling.correction(of: unknown.output.1, among: flags)
        else { return message }
        return "\(unknown.output.0). Did you mean '\(flag)'?"
    }

    /// Tells a person what went wrong, in one line unless every fault of a configuration is listed.
    private static func report(_ error: any Error, arguments: [String]) -> Int32 {
        let help = "; see `\(WalletAuthCommand.named(in: arguments)) --help`"
        switch error {
        case let error as UsageFault:
            Terminal.complain("\(error)\(help)")
            return ExitCode.validationFailure.rawValue
        case let error as FaultyConfiguration:
            Terminal.complain("\(error)")
            return 1
        case let error as StoreError:
            Terminal.complain(error.reason.escapedForOneLine)
            return 1
        case let error as DiskFailures.OutOfService:
            Terminal.complain(error.description.escapedForOneLine)
            return ExitStatus.outOfService
        case let error as IOError:
            Terminal.complain("the system refused: \(String(cString: strerror(error.errnoCode)))")
            return 1
        case let code as ExitCode:
            return code.rawValue
        default:
            break
        }
        let code = WalletAuthCommand.exitCode(for: error)
        if code == .success {
            let text = WalletAuthCommand.completed(WalletAuthCommand.fullMessage(for: error))
            Terminal.write(text + "\n", to: .standardOutput)
        } else if code == .validationFailure {
            let message = WalletAuthCommand.message(for: error).escapedForOneLine
            let flags = settings(for: arguments).filter { $0.sources.contains(.flag) }.map(\.flag)
            Terminal.complain(suggesting(flags, in: message).withoutFullStop + help)
        } else {
            Terminal.complain("\(error)".escapedForOneLine)
        }
        return code.rawValue
    }
}

extension String {
    /// The sentence as the first half of a longer one: swift-argument-parser ends some of its messages with a full stop.
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// What a subcommand is run with, beside its own options.
struct Invocation: Sendable {
    /// The settings given as flags.
    let flags: SettingFlags
    /// The environment variables.
    let environment: [String: String]
}

/// A subcommand that works with the configuration.
protocol ProgramCommand: ParsableCommand {
    /// Does what the subcommand is for.
    ///
    /// - Throws: What is told in one line on standard error; the program exits with 1.
    func run(in invocation: Invocation) async throws
}
