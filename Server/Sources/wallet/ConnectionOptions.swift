import ArgumentParser
import Foundation
import WalletAuth

/// The options that every command has: which server, as which client, and where the wallet is kept.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The server's URL (or WALLET_ISSUER). Remembered by sign-in.", valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("client-id"),
        help: ArgumentHelp("The client id (or WALLET_CLIENT_ID). Remembered by sign-in.", valueName: "id"))
    var clientID: String?

    @Option(help: ArgumentHelp("Which of your wallets; each has a session of its own.", valueName: "name"))
    var profile = "default"

    @Option(help: ArgumentHelp("Where wallets are kept (or WALLET_HOME).", valueName: "folder"))
    var home: String?

    @Flag(help: "Print one JSON document.")
    var json = false

    func validate() throws {
        guard profile.wholeMatch(of: #/[A-Za-z0-9_-]{1,64}/#) != nil else {
            throw ValidationError("--profile is 1 to 64 letters, digits, '-' and '_'.")
        }
    }

    var terminal: Terminal { Terminal(format: json ? .json : .text) }

    /// The profile's folder.
    var folder: URL {
        let environment = ProcessInfo.processInfo.environment
        let base: URL
        if let named = home ?? environment["WALLET_HOME"], !named.isEmpty {
            base = URL(fileURLWithPath: named)
        } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            base = URL(fileURLWithPath: data).appendingPathComponent("wallet")
        } else {
            base = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share/wallet")
        }
        return base.appendingPathComponent(profile)
    }

    /// The server and the client that are meant: named now, in the environment, or remembered.
    func profileInUse() throws -> Profile {
        let environment = ProcessInfo.processInfo.environment
        let remembered = try Profile.load(from: folder)
        guard let issuer = issuer ?? environment["WALLET_ISSUER"] ?? remembered?.issuer else {
            throw Failure(
                code: "no_server", message: "which server is not known yet",
                advice: "name it with --issuer URL; sign-in remembers it")
        }
        guard let clientID = clientID ?? environment["WALLET_CLIENT_ID"] ?? remembered?.clientID else {
            throw Failure(
                code: "no_client", message: "as which client is not known yet",
                advice: "name it with --client-id ID; sign-in remembers it")
        }
        guard let url = URL(string: issuer), url.scheme != nil, url.host != nil else {
            throw Failure(
                code: "invalid_configuration", message: "\(issuer) is not a URL",
                advice: "give --issuer a whole URL, for instance https://auth.example.com")
        }
        return Profile(issuer: issuer, clientID: clientID)
    }
}

extension Wallet {
    /// The wallet of a profile.
    /// - Parameters:
    ///   - profile: the server and the client.
    ///   - folder: where it is kept.
    ///   - signIn: who leads the sign-in; by default nobody, a kept session or none.
    ///   - opener: takes the person to a page.
    static func of(
        _ profile: Profile, in folder: URL, signIn: SignIn = .partial(codeResponse: nil), scopes: [String] = [],
        opener: @escaping @Sendable (URL) async throws -> Void = { _ in }
    ) throws -> Wallet {
        guard let issuer = URL(string: profile.issuer) else {
            throw Failure(
                code: "invalid_configuration", message: "\(profile.issuer) is not a URL",
                advice: "name another --issuer")
        }
        // The SDK lets http through to this very machine alone, and says so where it does not.
        let environment: Environment = issuer.scheme == "http" ? .sandbox(issuer: issuer) : .production(issuer: issuer)
        var configuration = Configuration(environment: environment, clientID: profile.clientID, signIn: signIn)
        if !scopes.isEmpty { configuration.scopes = scopes }
        #if os(Linux)
            configuration.ports = .linux(directory: folder, userAgent: LoopbackUserAgent(opener: opener))
        #endif
        return try Wallet(configuration: configuration)
    }
}
