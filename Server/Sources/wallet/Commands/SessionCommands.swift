import ArgumentParser
import Foundation
import WalletAuth
import WalletAuthWire

struct Status: WalletCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows who is signed in. Exits with 1 if no one is.",
        discussion: """
            Also shows the transfers of the last day that may have been paid. It says what this wallet knows: after a removal or \
            a sign-out elsewhere, only --check finds out.
            """)

    @Flag(help: "Ask the server whether the session goes on, by renewing its token.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "First forget the transfer with this idempotency key, once you know whether it was paid.", valueName: "key")
    )
    var forget: String?

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func run(_ terminal: Terminal) async throws {
        let begun = BegunTransfers(folder: connection.folder)
        if let forget, try !begun.forget(forget) {
            throw Failure(
                code: "transfer_not_found", message: "no transfer with the key \(forget) is waiting for its result",
                advice: "see: wallet status")
        }
        let profile = try connection.profileInUse()
        let wallet = try Wallet.of(profile, in: connection.folder)
        do {
            try await wallet.setUp()
            if check { try await wallet.confirmSession() }
        } catch let error as WalletError {
            guard case .signedOut = error.outcome else { throw error }
            // To a script this is an answer, not an error, so it gets the document and the exit status.
            if terminal.format == .json { terminal.print(await SessionReport.of(wallet, profile)) }
            terminal.say(Failure(error, at: connection.place()).line)
            throw ExitCode(1)
        }
        let named = connection.place().profile
        let open = try begun.all(of: wallet.identity?.subject ?? "").map { OpenTransfer($0, of: named) }
        var report = await SessionReport.of(wallet, profile)
        if !open.isEmpty { report.openTransfers = open }
        terminal.print(report)
        for transfer in open { terminal.say(transfer.line) }
    }
}

extension Wallet {
    /// Has the server confirm the session.
    /// - Throws: `WalletError` if it has ended, or if that cannot be found out.
    fileprivate func confirmSession() async throws {
        if diagnostics.canRenew == false {
            _ = try await userInfo()
        } else {
            try await refresh()
        }
    }
}

struct Token: WalletCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a valid access token, renewing it first if needed.",
        discussion: "Anyone with a bearer token can use it: keep it out of logs and shell history.")

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    /// The only report that shows a token, because this command asks for it.
    private struct TokenReport: Report {
        let accessToken: String
        let tokenType: String
        let expiresAt: Date?

        var lines: [String] { [accessToken] }
    }

    func run(_ terminal: Terminal) async throws {
        let wallet = try connection.wallet()
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

struct Refresh: WalletCommand {
    static let configuration = CommandConfiguration(
        abstract: "Renews the access token now, even if it is still valid.")

    @OptionGroup(title: "Wallet and server") var connection: ConnectionOptions

    func run(_ terminal: Terminal) async throws {
        let profile = try connection.profileInUse()
        let wallet = try Wallet.of(profile, in: connection.folder)
        try await wallet.refresh()
        terminal.print(await SessionReport.of(wallet, profile))
    }
}

/// The account of a session and its expiry. Never a token.
struct SessionReport: Report {
    let signedIn: Bool
    let issuer: String
    let clientID: String
    var subject: String?
    /// The account's user name, if this wallet knows it.
    var username: String?
    /// The address or number that the person typed to sign in, if the user name is unknown.
    var signedInWith: String?
    var sessionID: String?
    var merchantID: String?
    var scopes: [String]?
    var tokenType: String?
    var accessTokenExpiresAt: Date?
    /// Whether there is a refresh token.
    var canRenew: Bool?
    /// Why the last renewal of the access token failed.
    var notRenewed: String?
    /// The authentication context class that the sign-in reached.
    var acr: String?
    /// What was required of a step-up and not confirmed by the server. Not a line, because standard error has it.
    var unconfirmed: String?
    /// The failure's name and next step, for scripts, with ``unconfirmed``.
    var code: String?
    var hint: String?
    /// The transfers that may have been paid; nil for none. Not lines, because standard error has them.
    var openTransfers: [OpenTransfer]?

    /// Reads the session of a wallet. The user name is that of the account, the typed one, or that of the enrolled account.
    static func of(_ wallet: Wallet, _ profile: Profile) async -> SessionReport {
        var report = SessionReport(wallet, profile)
        guard report.signedIn, report.username == nil, let subject = report.subject else { return report }
        let enrolled = try? await wallet.accounts.first { $0.id.rawValue == subject }?.username
        report.username = enrolled.flatMap(Profile.name)
        if report.username == nil { report.signedInWith = profile.username ?? enrolled }
        return report
    }

    private init(_ wallet: Wallet, _ profile: Profile) {
        signedIn = wallet.isLoggedIn
        issuer = profile.issuer
        clientID = profile.clientID
        guard let identity = wallet.identity else { return }
        notRenewed = wallet.renewalFailure.map(Failure.said)
        subject = identity.subject
        username = profile.knownName
        sessionID = identity.sessionID
        merchantID = identity.merchantID
        scopes = identity.scopes
        tokenType = identity.tokenType.rawValue
        accessTokenExpiresAt = identity.accessTokenExpiresAt
        canRenew = wallet.diagnostics.canRenew
        acr = identity.acr
    }

    var lines: [String] {
        guard signedIn else { return ["Not signed in at \(issuer)."] }
        let name = signedInWith.map { " with \($0)" } ?? (username ?? subject).map { " as \($0)" } ?? ""
        var lines = ["Signed in at \(issuer)\(name)."]
        if username != nil || signedInWith != nil, let subject { lines.append("  account       \(subject)") }
        if let merchantID { lines.append("  for merchant  \(merchantID)") }
        if let scopes, !scopes.isEmpty { lines.append("  scopes        \(scopes.joined(separator: " "))") }
        if let sessionID { lines.append("  session       \(sessionID)") }
        if let acr { lines.append("  class         \(acr)") }
        if let tokenType {
            let binding = tokenType == "DPoP" ? "bound to this device's key (DPoP)" : "bearer"
            lines.append("  access token  \(binding)\(accessTokenExpiresAt.map { ", " + ending($0) } ?? "")")
        }
        if let notRenewed { lines.append("  not renewed   \(notRenewed)") }
        return lines
    }

    private func ending(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSinceNow.rounded())
        guard canRenew != false else {
            return seconds > 0
                ? "expires in \(seconds) s and ends the session: there is no refresh token" : "has expired"
        }
        return seconds > 0
            ? "expires in \(seconds) s, then it is renewed" : "has expired, will be renewed when next used"
    }
}
