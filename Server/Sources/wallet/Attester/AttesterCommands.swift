import ArgumentParser
import Foundation

/// The stand-in for a platform that attests apps.
struct AttesterCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attester", abstract: "Makes a test root by which this program passes for an attested app.",
        subcommands: [Create.self])

    struct Create: WalletCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a test root, to try what a server does that enrolls attested apps only.",
            discussion: """
                  wallet attester create attester --app-id ABCDE12345.com.example.wallet
                  WALLET_ATTESTER=attester wallet device enroll "My phone"

                With WALLET_ATTESTER, this program attests itself as Apple's App Attest would, and you agree at the terminal in place of \
                face or fingerprint. A server believes it only if its operator names root.pem in devices.appleRoots, and then no longer \
                believes Apple: never do this where people have accounts.
                """)

        @Argument(help: "The folder, which is made.")
        var folder: String

        @Option(
            name: .customLong("app-id"),
            help: ArgumentHelp(
                "The Apple App ID to claim, as it is registered for the client.", valueName: "TEAM.bundle"))
        var appID: String

        @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

        func validate() throws {
            guard appID.wholeMatch(of: #/[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}/#) != nil else {
                throw ValidationError("--app-id must be a team id of 10 characters, a dot and a bundle id")
            }
        }

        func run(_ terminal: Terminal) async throws {
            let made = AttesterFolder(URL(fileURLWithPath: folder))
            try made.create(for: appID)
            terminal.print(AttesterReport(folder: made.url.path, root: made.certificate.path, appID: appID))
        }
    }
}

private struct AttesterReport: Report {
    let folder: String
    let root: String
    let appID: String

    var lines: [String] {
        [
            "Made. Use it here: export \(TerminalAttester.variable)=\(folder)",
            "On a test server: devices.appleRoots \(root), and walletauth client update CLIENT-ID --attest required "
                + "--add-apple-app-id \(appID)",
        ]
    }
}
