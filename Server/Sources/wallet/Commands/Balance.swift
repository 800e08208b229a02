import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthLoopback
import WalletAuthWire

struct Balance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows your wallet's balance, and the account number that others can pay to.",
        discussion: "Needs a sign-in with the scope \"accounts\".")

    @OptionGroup var backend: BackendOptions
    @OptionGroup var connection: ConnectionOptions

    func run() async throws {
        try await connection.paying(by: backend) { backend, terminal in
            let answer = try await backend.get("balance")
            terminal.print(
                BalanceReport(
                    account: try answer.required("account", answer.string("account")),
                    balance: try Money(answer["balance"]?.object)))
        }
    }

    private struct BalanceReport: Report {
        let account: String
        let balance: Money
        var lines: [String] { [balance.words, "  account  \(account)"] }
    }
}

extension ConnectionOptions {
    /// What happens to the URL of a page, besides being printed.
    enum PageOpening: Sendable {
        case told
        /// Opened in the browser.
        case opened
    }

    /// Runs a command that calls the wallet's backend.
    func paying(
        by options: BackendOptions, opener: PageOpening = .told, _ body: (Backend, Terminal) async throws -> Void
    ) async throws {
        let url = try? options.url(rememberedIn: folder)
        try await running(calling: url) { terminal in
            let url = try options.url(rememberedIn: folder)
            let profile = try profileInUse()
            let recipients = TokenRecipients(issuer: profile.issuer, folder: folder)
            let wallet = try await recipients.wallet(calling: url, sendToken: options.sendToken) { resources in
                try Wallet.of(
                    profile, in: folder, resources: resources, consentPage: URL(string: "http://127.0.0.1/callback"),
                    opener: { page in
                        terminal.say("Open this page to approve: \(page.absoluteString)")
                        #if os(Linux)
                            if opener == .opened { try? await SystemBrowser.open(page) }
                        #endif
                    })
            }
            try options.remember(in: folder)
            do { try await body(Backend(wallet: wallet, url: url), terminal) } catch let fault as MalformedValue {
                throw Failure(malformed: fault, from: url)
            }
        }
    }
}
