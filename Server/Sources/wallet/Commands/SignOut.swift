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

        var lines: [String] {
            switch (wasSignedIn, revoked) {
            case (true, true): ["Signed out."]
            case (true, false):
                ["Signed out here. The server could not be told yet: your next command makes up for that."]
            case (false, true): ["Nobody was signed in."]
            case (false, false):
                [
                    "Nobody was signed in. The server could not be told of the last sign-out yet: your next command makes up for that."
                ]
            }
        }
    }

    func run() async throws {
        try await connection.running { terminal in
            let wallet = try Wallet.of(connection.profileInUse(), in: connection.folder)
            switch try await wallet.logout() {
            case .revoked: terminal.print(SignOutReport(revoked: true, wasSignedIn: true))
            case .revocationQueued: terminal.print(SignOutReport(revoked: false, wasSignedIn: true))
            case .notSignedIn:
                // An earlier sign-out may have been made offline.
                terminal.print(SignOutReport(revoked: await wallet.sendQueuedRevocations(), wasSignedIn: false))
            }
        }
    }
}
