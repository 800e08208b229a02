import ArgumentParser
import WalletAuth

struct SignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out",
        abstract: "Signs you out here, and tells the server to end the session.")

    @OptionGroup var connection: ConnectionOptions

    private struct SignOutReport: Report {
        let signedIn = false
        let revoked: Bool
        let wasSignedIn: Bool

        init(_ outcome: Wallet.LogoutOutcome) {
            revoked = outcome != .revocationQueued
            wasSignedIn = outcome != .notSignedIn
        }

        var lines: [String] {
            guard wasSignedIn else { return ["Nobody was signed in."] }
            return revoked
                ? ["Signed out."]
                : ["Signed out here. The server could not be told yet: your next command makes up for that."]
        }
    }

    func run() async throws {
        try await connection.running { terminal in
            let wallet = try Wallet.of(connection.profileInUse(), in: connection.folder)
            let outcome = try await wallet.logout()
            terminal.print(SignOutReport(outcome))
        }
    }
}
