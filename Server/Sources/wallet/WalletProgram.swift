import ArgumentParser
import Foundation
import Programs

/// A terminal wallet that uses only the SDK: it does what an app does, one command at a time.
@main
struct WalletProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Signs you in to a wallet's server, renews your tokens and makes calls with them.",
        discussion: """
            Sign in once; the server is remembered for the profile:

              wallet sign-in --issuer https://auth.example.com --client-id com.example.wallet
              wallet call https://api.example.com/balance
              wallet sign-out

            On Linux, WALLET_CA_FILE may name a PEM file of certificate authorities to trust in addition to the system's. \
            WALLET_ATTESTER names the folder of wallet attester create, by which this program passes for an attested app.

            Exit status: 0 success, 1 refused or failed (one line on standard error), 64 incorrect usage. With --json, \
            standard output then has {"error": {"code", "message", "hint"}}; a status \
            command prints its own document with status 1.
            """,
        version: ProgramVersion.current,
        subcommands: [
            SignIn.self, CreateAccount.self, Recover.self, Status.self, Token.self, Refresh.self, Call.self,
            Device.self,
            PINCommands.self, DeviceTokenCommands.self, AccountCommands.self, Identity.self, MFA.self,
            PasskeyCommands.self, BiometricCommands.self, AttesterCommands.self,
            PasswordCommand.self, Balance.self,
            Payees.self, Transfer.self, TransactionCommands.self, ApprovalCommands.self, SignInElsewhere.self,
            SignOut.self,
        ])

    static func main() async {
        // A reader that closes the pipe after the first line (`wallet sign-in --no-open 2>&1 | head -1`) must not
        // silently end the sign-in.
        signal(SIGPIPE, SIG_IGN)
        do {
            let arguments = meant(Array(CommandLine.arguments.dropFirst()))
            try refuseHelpForUnknown(arguments)
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            report(error)
        }
    }

    /// The arguments with the command in front, and with an identity protected from the option parser, since its identifier may
    /// begin with a dash.
    /// - Parameter arguments: the command line without the program's name.
    static func meant(_ arguments: [String]) -> [String] {
        var arguments = commandFirst(arguments, moving: ConnectionOptions.self)
        guard arguments.starts(with: ["identity", "remove"]), !arguments.contains("--"),
            let index = arguments.firstIndex(where: { $0.hasPrefix("-") && isIdentity($0) })
        else { return arguments }
        let identity = arguments.remove(at: index)
        return arguments + ["--", identity]
    }

    /// Whether it is a digest of 32 bytes as base64url. An option can only be that long with a value, and then contains
    /// `=`.
    private static func isIdentity(_ argument: String) -> Bool {
        argument.utf8.count == 43
            && argument.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Ends the program. An invalid command line becomes one line with the command for its help.
    private static func report(_ error: any Error) -> Never {
        let text = fullMessage(for: error)
        if exitCode(for: error) == .success, !text.isEmpty {
            print(CommandHelp.requiredFirst(text))
            exit(withError: ExitCode.success)
        }
        guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
        let arguments = meant(Array(CommandLine.arguments.dropFirst()))
        let mistake = mistake(for: error, in: arguments)
        let terminal = Terminal(format: FailureDocument.isRequested(by: arguments) ? .json : .text)
        terminal.fail(FailureDocument(mistake), "wallet: \(mistake.line)")
        exit(withError: ExitCode.validationFailure)
    }
}
