import ArgumentParser
import Foundation
import Programs
import WalletAuth

/// The options of every command: the server, the client, and the folder of the wallet.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's URL (or WALLET_ISSUER). Remembered by sign-in.", valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp(
            "The client id (or \(clientVariable), which overrides the remembered one). Remembered by sign-in.",
            valueName: "id"))
    var clientID: String?

    /// The environment variable of the client.
    static let clientVariable = "WALLET_CLIENT_ID"

    @Option(help: ArgumentHelp("Which of your wallets to use; each has its own session.", valueName: "name"))
    var profile = usualProfile

    /// The profile of commands that name none.
    private static let usualProfile = "default"

    @Option(
        help: ArgumentHelp(
            "Where wallets are stored (or WALLET_HOME). By default wallet in $XDG_DATA_HOME, or ~/.local/share/wallet.",
            valueName: "folder"))
    var home: String?

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
        guard profile.wholeMatch(of: #/[A-Za-z0-9_-]{1,64}/#) != nil else {
            throw ValidationError("--profile must be 1 to 64 letters, digits, '-' and '_'")
        }
        if let issuer, !Self.isURL(issuer) {
            throw ValidationError("--issuer \"\(issuer)\" is not a full URL, such as https://auth.example.com")
        }
    }

    /// Runs a command. Any error becomes one line that names the server, with exit status 1.
    /// - Parameters:
    ///   - target: another server that the command calls.
    ///   - person: whom the command is for.
    ///   - tellsPastSignOuts: whether pending sign-outs are reported alongside; false if `body` does it.
    func running(
        calling target: URL? = nil, for person: CommandPerson = .remembered, tellsPastSignOuts: Bool = true,
        _ body: (Terminal) async throws -> Void
    ) async throws {
        var place = place(calling: target)
        if case .named(let username) = person { place.username = username }
        let terminal = Terminal(format: json ? .json : .text, profile: place.profile, username: place.username)
        async let pastSignOuts: Void = Self.tellPastSignOuts(of: tellsPastSignOuts ? folder : nil)
        // The process ends with the command, so it waits for the pending sign-outs.
        do {
            try await terminal.running(at: place) {
                do { try await body(terminal) } catch let error as WalletError where error.code == .deviceNotEnrolled {
                    if let profile = try? profileInUse(), let wallet = try? Wallet.of(profile, in: folder) {
                        try await wallet.requireEnrollments()
                    }
                    throw error
                } catch let error as WalletError where error.code == .insufficientUserAuthentication {
                    if let profile = try? profileInUse(), let wallet = try? Wallet.of(profile, in: folder),
                        let failure = await wallet.newDevice(refusedAs: error)
                    {
                        throw failure
                    }
                    throw error
                }
            }
        } catch {
            await pastSignOuts
            throw error
        }
        await pastSignOuts
    }

    /// The names for errors: the server, the client and the source of the client id.
    /// - Parameter target: another server that the command calls.
    func place(calling target: URL? = nil) -> Failure.Place {
        let profile = try? profileInUse()
        let remembered = try? Profile.load(from: folder)
        return Failure.Place(
            server: profile?.issuer, serverNamedBy: issuer == nil ? .variable : .option,
            rememberedServer: remembered?.issuer, client: profile?.clientID, clientNamedBy: clientSource,
            rememberedClient: remembered?.issuer == profile?.issuer ? remembered?.clientID : nil,
            target: target.map(\.origin), profile: self.profile == Self.usualProfile ? nil : self.profile,
            username: profile?.username ?? profile?.accountName)
    }

    /// Reports sign-outs to the server that were made while it was unreachable.
    private static func tellPastSignOuts(of folder: URL?) async {
        guard let folder, let remembered = try? Profile.load(from: folder),
            let wallet = try? Wallet.of(remembered, in: folder)
        else { return }
        await wallet.sendQueuedRevocations()
    }

    var folder: URL {
        let base: URL
        if let named = home ?? Self.environment("WALLET_HOME"), !named.isEmpty {
            base = URL(fileURLWithPath: named)
        } else if let data = Self.environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            base = URL(fileURLWithPath: data).appendingPathComponent("wallet")
        } else {
            base = Self.homeDirectory.appendingPathComponent(".local/share/wallet")
        }
        return base.appendingPathComponent(profile)
    }

    /// `HOME`, as in other programs. Foundation looks only at the system's user list, which is the fallback.
    private static var homeDirectory: URL {
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            return FileManager.default.homeDirectoryForCurrentUser
        }
        return URL(fileURLWithPath: home)
    }

    /// The server and the client: from options, the environment, or the remembered profile.
    /// - Throws: ``Failure`` that names everything missing.
    func profileInUse() throws -> Profile {
        let remembered = try Profile.load(from: folder)
        let issuer = (issuer ?? Self.environment(Self.issuerVariable) ?? remembered?.issuer).map(Self.withUsualScheme)
        let clientID = clientID ?? Self.environment(Self.clientVariable) ?? remembered?.clientID
        guard let issuer, let clientID else { throw Self.unknown(issuer: issuer, clientID: clientID) }
        guard let url = URL(string: issuer), Self.isURL(issuer) else {
            throw Failure(
                code: "invalid_configuration", message: "\"\(issuer)\" is not a URL",
                advice: "use --issuer with a full URL, such as https://auth.example.com")
        }
        guard url.scheme?.lowercased() != "http" || url.isOnThisMachine else {
            throw Failure(
                code: "invalid_configuration",
                message: "\(issuer) is plain http, so anyone on the network could steal the tokens",
                advice: "use https; plain http is only for a server on this machine")
        }
        var profile = Profile(issuer: issuer, clientID: clientID)
        if remembered?.issuer == issuer, remembered?.clientID == clientID {
            (profile.username, profile.accountName) = (remembered?.username, remembered?.accountName)
        }
        return profile
    }

    private static func isURL(_ text: String) -> Bool {
        URL(string: text).map { $0.scheme != nil && $0.host != nil } ?? false
    }

    /// The URL with its scheme in lower case: servers name themselves so, and an issuer is compared to the letter.
    static func withUsualScheme(_ url: String) -> String {
        guard let end = url.firstIndex(of: ":") else { return url }
        return "\(url[..<end].lowercased())\(url[end...])"
    }

    /// The environment variable of the server.
    static let issuerVariable = "WALLET_ISSUER"

    private var clientSource: ClientSource {
        if clientID != nil { return .option }
        if Self.environment(Self.clientVariable) != nil { return .variable }
        return .remembered(folder: folder.path)
    }

    private static func unknown(issuer: String?, clientID: String?) -> Failure {
        switch (issuer, clientID) {
        case (nil, nil):
            Failure(
                code: "no_server", message: "the server and the client are not known yet",
                advice: "use --issuer URL --client-id ID; sign-in remembers them")
        case (nil, _):
            Failure(
                code: "no_server", message: "the server is not known yet",
                advice: "use --issuer URL; sign-in remembers it")
        default:
            Failure(
                code: "no_client", message: "the client is not known yet",
                advice: "use --client-id ID; sign-in remembers it")
        }
    }

    /// A variable that is not empty.
    private static func environment(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ConnectionOptions {
    /// The wallet of the current profile.
    func wallet(_ presence: TerminalPresence = TerminalPresence()) throws -> Wallet {
        try Wallet.of(profileInUse(), in: folder, presence: presence)
    }

    /// The same with its session restored.
    /// - Throws: `WalletError` if no one is signed in.
    func signedIn(_ presence: TerminalPresence = TerminalPresence()) async throws -> Wallet {
        let wallet = try wallet(presence)
        try await wallet.setUp()
        return wallet
    }
}

/// Whom a command is for, whose user name is in the commands of its advice.
enum CommandPerson: Sendable {
    /// Who signed in last.
    case remembered
    /// The command's own `--username`; nil for a person whom it does not know.
    case named(String?)
}

/// A command of a profile's wallet.
protocol WalletCommand: AsyncParsableCommand, ArgumentExplaining {
    var connection: ConnectionOptions { get }
    var person: CommandPerson { get }
    func run(_ terminal: Terminal) async throws
}

extension WalletCommand {
    var person: CommandPerson { .remembered }

    func run() async throws { try await connection.running(for: person) { try await run($0) } }
}

extension ArgumentExplaining {
    /// Codes and secrets are not among the arguments; otherwise, people may mean one of their wallets.
    static var insteadOfArgument: String {
        longOptions(of: Self.self).contains { $0.hasSuffix("stdin") }
            ? "it asks for codes and secrets, because everyone on this machine can see arguments"
            : "--profile NAME chooses another wallet"
    }
}

/// A command that restores the session first. It fails if no one is signed in.
protocol SignedInCommand: WalletCommand {
    func run(_ wallet: Wallet, _ terminal: Terminal) async throws
}

extension SignedInCommand {
    func run(_ terminal: Terminal) async throws { try await run(connection.signedIn(), terminal) }
}

extension URL {
    /// Whether its host is a loopback address, so that no other machine can read the traffic.
    var isOnThisMachine: Bool {
        ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host(percentEncoded: true)?.lowercased() ?? "")
    }
}
