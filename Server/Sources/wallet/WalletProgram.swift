import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A terminal wallet on the SDK alone: what an app does, one command at a time.
@main
struct WalletProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Signs you in to a wallet's server, keeps your tokens alive and calls with them.",
        discussion: """
            Sign in once; the server is remembered for the profile:

              wallet sign-in --issuer https://auth.example.com --client-id com.example.wallet
              wallet call https://api.example.com/balance
              wallet sign-out

            Exit status: 0 done, 1 refused or failed with one line on standard error, 64 wrong usage.
            """,
        subcommands: [
            SignIn.self, Recover.self, Status.self, Token.self, Refresh.self, Call.self, Device.self,
            PINCommands.self, DeviceTokenCommands.self, MFA.self, PasswordCommand.self, SignOut.self,
        ])

    /// Runs the command of the arguments.
    static func main() async {
        // Whoever reads the first line and closes the pipe (`wallet sign-in --no-open 2>&1 | head -1`) must not end the
        // sign-in without a word.
        signal(SIGPIPE, SIG_IGN)
        await main(nil)
    }
}
