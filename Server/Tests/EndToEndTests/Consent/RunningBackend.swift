import Foundation
import TestSupport
import Testing

/// The built `wallet-backend` program, next to a server under test and in its folder.
actor RunningBackend {
    nonisolated let url: URL
    private let server: RunningServer
    private let client: RegisteredClient
    private let port: Int
    /// The certificate authority of the server, if it has one of its own.
    private let authority: String?
    private var process: ChildProcess?

    /// - Parameter url: where apps reach it; by default the port itself.
    init(
        _ server: RunningServer, _ client: RegisteredClient, port: Int, at url: String? = nil, authority: String? = nil
    ) throws {
        self.server = server
        self.client = client
        self.port = port
        self.authority = authority
        self.url = try #require(URL(string: url ?? "http://127.0.0.1:\(port)"))
    }

    var processID: Int32 { process?.processID ?? 0 }

    private nonisolated var ledger: String { server.folder.appending(path: "ledger.db").path }

    private func environment() async -> [String: String] {
        [
            "WALLET_BACKEND_ISSUER": await server.issuer.absoluteString, "WALLET_BACKEND_CLIENT_ID": client.id,
            "WALLET_BACKEND_CLIENT_SECRET": client.secret ?? "", "WALLET_BACKEND_CA_FILE": authority ?? "",
        ]
    }

    /// Starts it, or starts it again on the same ledger, and waits for its ready line.
    func start() async throws {
        let child = try ChildProcess(
            Programs.walletBackend,
            ["serve", "--port", String(port), "--database", ledger, "--external-url", url.absoluteString],
            environment: await environment(), folder: server.folder, log: server.folder.appending(path: "backend.log"))
        process = child
        let ready = try await within(.patience, "the backend's ready line") {
            for await line in child.lines where line.hasPrefix("wallet-backend ready at ") { return true }
            return false
        } otherwise: {
            child.send(SIGKILL)
        }
        try #require(ready, "the backend's log says why")
    }

    /// Ends it as an operator does.
    func stop() async -> ChildProcess.Ending? {
        guard let process else { return nil }
        process.send(SIGTERM)
        self.process = nil
        return await process.wait()
    }

    /// Ends it as a power cut does.
    func crash() async {
        process?.send(SIGKILL)
        _ = await process?.wait()
        process = nil
    }

    /// Runs one of its commands on the ledger.
    func run(_ arguments: String...) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.walletBackend, arguments + ["--database", ledger], environment: await environment(),
            folder: server.folder)
    }
}

/// A server that lets small payments pass, a wallet's backend, and a person who has signed in on a phone and has a payee.
struct PaymentWorld: Sendable {
    static let payee = "Dune Bakery"
    static let account = "DE02120300000000202051"
    static let scopes = "openid profile offline_access accounts payments"

    let server: RunningServer
    let backend: RunningBackend
    let client: RegisteredClient
    let person: Person

    static func use(
        _ options: [String] = [], database: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (PaymentWorld) async throws -> Void
    ) async throws {
        try await withServer(
            ["--sca-exemptions-low-value-single", "30.00 EUR"] + options, database: database,
            sourceLocation: sourceLocation
        ) { server in
            let port = try FreePorts.next()
            try await server.require([
                "client", "create", "com.example.wallet", "--name", "Example Wallet", "--public",
                "--first-party", "--redirect-uri", "http://127.0.0.1/callback", "--scope", scopes, "--resource",
                "http://127.0.0.1:\(port)",
            ])
            let world = PaymentWorld(
                server: server,
                backend: try RunningBackend(server, try await server.makeConfidentialClient(), port: port),
                client: RegisteredClient(
                    id: "com.example.wallet", secret: nil, redirectURI: "http://127.0.0.1/callback"),
                person: try await server.makeReachableAccount("ada"))
            try await world.backend.start()
            do { try await body(world) } catch {
                await world.backend.crash()
                throw error
            }
            let books = try await world.backend.run("check")
            #expect(books.succeeded, "\(books.errors)", sourceLocation: sourceLocation)
            let ending = await world.backend.stop()
            #expect(ending == .exited(0), "SIGTERM ends the backend with status 0", sourceLocation: sourceLocation)
        }
    }

    /// The terminal wallet of a person who has signed in by two factors, linked the device, and has a payee.
    func wallet() async throws -> TerminalWallet {
        let wallet = await TerminalWallet(server, client)
        let signedIn = try await typingCode(
            [
                "sign-in", "--username", person.username, "--password-stdin", "--link", "Phone", "--scope", Self.scopes,
            ], after: person.password + "\n", with: wallet)
        #expect(signedIn.succeeded, "\(signedIn.errors)")
        // Named once; from here on it is remembered.
        let added = try await wallet.run(
            ["payees", "add", Self.payee, Self.account, "--backend", backend.url.absoluteString])
        #expect(added.succeeded, "\(added.errors)")
        return wallet
    }

    /// Runs a command of the wallet that has a code sent, and types that code when it has come.
    /// - Parameter lines: what is typed before.
    func typingCode(
        _ arguments: [String], after lines: String = "", with wallet: TerminalWallet
    ) async throws -> CommandResult {
        let known = try await codes().count
        return try await wallet.run(arguments, typing: lines) {
            let all = try await codes()
            return all.count > known ? all.first.map { $0 + "\n" } : nil
        }
    }

    /// The codes in the sandbox's outbox, the newest first.
    func codes() async throws -> [String] {
        try await outbox().matches(of: /<code>(\d{6})<\/code>/).map { String($0.output.1) }
    }

    func outbox() async throws -> String {
        try await WebClient(ledger: server.ledger).get(await server.url("/sandbox/outbox")).text
    }

    /// What is in the wallet, in cents.
    func balance(_ wallet: TerminalWallet) async throws -> String? {
        let result = try await wallet.run("balance", "--json")
        let balance = try result.json["balance"] as? [String: Any]
        return balance?["value"] as? String
    }
}
