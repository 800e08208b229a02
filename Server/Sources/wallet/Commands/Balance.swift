import ArgumentParser
import Foundation
import Programs
import WalletAuth
import WalletAuthLoopback
import WalletAuthWire

struct Balance: BackendCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows your wallet's balance, and the account number that others can pay to.",
        discussion: "Needs a sign-in with the scope \"accounts\".")

    @OptionGroup var backend: BackendOptions
    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func run(_ backend: Backend, _ terminal: Terminal) async throws {
        let answer = try await backend.get("balance")
        terminal.print(
            BalanceReport(
                account: try answer.required("account", answer.string("account")),
                balance: try Money(answer["balance"]?.object)))
    }

    private struct BalanceReport: Report {
        let account: String
        let balance: Money
        var lines: [String] { [balance.words, "  account  \(account)"] }
    }
}

/// A command that calls the wallet's backend.
protocol BackendCommand: AsyncParsableCommand, ArgumentExplaining {
    var backend: BackendOptions { get }
    var connection: ConnectionOptions { get }
    /// Whether the page of a consent is opened in the browser, besides being printed.
    var opensPage: Bool { get }
    /// Asks before a passkey approves something.
    var presence: TerminalPresence { get }
    func run(_ backend: Backend, _ terminal: Terminal) async throws
}

extension BackendCommand {
    var opensPage: Bool { false }
    var presence: TerminalPresence { TerminalPresence() }

    func run() async throws {
        let folder = connection.folder
        try await connection.running(calling: try? backend.url(rememberedIn: folder)) { terminal in
            let url = try backend.url(rememberedIn: folder)
            let profile = try connection.profileInUse()
            let requests = RequestWatch()
            let recipients = TokenRecipients(issuer: profile.issuer, folder: folder)
            let wallet = try await recipients.wallet(calling: url, sendToken: backend.sendToken) { resources in
                try Wallet.of(
                    profile, in: folder, resources: resources, consentPage: URL(string: "http://127.0.0.1/callback"),
                    opener: { [opensPage] page in
                        terminal.say("Open this page to approve: \(page.absoluteString)")
                        #if os(Linux)
                            if opensPage { try? await SystemBrowser.open(page) }
                        #endif
                        terminal.say(Profile.waiting(for: "page"))
                    }, watch: requests, presence: presence)
            }
            try backend.remember(in: folder)
            do { try await run(Backend(wallet: wallet, url: url, requests: requests), terminal) } catch let fault
                as MalformedValue
            {
                throw Failure(malformed: fault, from: url)
            }
        }
    }
}
