import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a valid access token, renewing it first if needed.",
        discussion: "Anyone with a bearer token can use it: keep it out of logs and shell history.")

    @OptionGroup var connection: ConnectionOptions

    /// The only report that shows a token, because this command asks for it.
    private struct TokenReport: Report {
        let accessToken: String
        let tokenType: String
        let expiresAt: Date?

        var lines: [String] { [accessToken] }
    }

    func run() async throws {
        try await connection.running { terminal in
            let wallet = try Wallet.of(connection.profileInUse(), in: connection.folder)
            try await wallet.setUp()
            let token = try await wallet.accessToken()
            let identity = wallet.identity
            if terminal.format == .text, identity?.tokenType == .dpop {
                terminal.say("This token is bound to this device's key and does not work elsewhere. See: wallet call")
            }
            terminal.print(
                TokenReport(
                    accessToken: token.reveal(), tokenType: identity?.tokenType.rawValue ?? "Bearer",
                    expiresAt: identity?.accessTokenExpiresAt))
        }
    }
}
