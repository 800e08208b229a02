import ArgumentParser
import WalletAuth

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows who is signed in. Exits with 1 if no one is.")

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.running { terminal in
            let profile = try connection.profileInUse()
            let wallet = try Wallet.of(profile, in: connection.folder)
            do {
                try await wallet.setUp()
            } catch let error as WalletError {
                guard case .signedOut = error.outcome else { throw error }
                // To a script this is an answer, not an error, so it gets the document and the exit status.
                if terminal.format == .json { terminal.print(await SessionReport.of(wallet, profile)) }
                terminal.say(Failure(error, at: connection.place()).line)
                throw ExitCode(1)
            }
            terminal.print(await SessionReport.of(wallet, profile))
        }
    }
}
