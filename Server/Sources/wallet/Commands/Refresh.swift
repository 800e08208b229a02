import ArgumentParser
import WalletAuth

struct Refresh: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renews the access token now, even if it is still valid.")

    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.running { terminal in
            let profile = try connection.profileInUse()
            let wallet = try Wallet.of(profile, in: connection.folder)
            try await wallet.refresh()
            terminal.print(await SessionReport.of(wallet, profile))
        }
    }
}
