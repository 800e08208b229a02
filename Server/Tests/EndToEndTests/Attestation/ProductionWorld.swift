import Foundation
import TestSupport
import Testing

/// A server in production and the example of a backend, both behind TLS. Their certificate, and the root that the server believes in place
/// of Apple's, are a test's own.
struct ProductionWorld: Sendable {
    static let appID = "ABCDE12345.com.example.wallet"

    let server: RunningServer
    let backend: RunningBackend
    let person: Person
    private let terminal: TerminalWallet
    private let certificate: String

    static func use(_ body: (ProductionWorld) async throws -> Void) async throws {
        await Turnstile.servers.enter()
        defer { Task { await Turnstile.servers.leave() } }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificate = try await makeCertificate(in: folder.url)
        let server = try await startServer(in: folder, certificate)
        let port = try FreePorts.next()
        let front = try await PeerProcess.start(
            "tls_front.py",
            ["FRONT_CERTIFICATE": certificate, "FRONT_KEY": certificate + ".key", "FRONT_PORT": String(port)],
            in: folder.url)
        defer { front.stop() }
        do {
            let world = try await open(server, certificate, port: port, at: "https://localhost:\(front.address)")
            do { try await body(world) } catch {
                await world.backend.crash()
                throw error
            }
            #expect(await world.backend.stop() == .exited(0), "SIGTERM ends the backend with status 0")
        } catch {
            await server.crash()
            Issue.record("the server's log ends with: \(server.logText().suffix(3_000))")
            throw error
        }
        #expect(try await server.stop() == .exited(0), "SIGTERM ends the server with status 0")
        try expectNoSecrets(in: folder.url, of: server.ledger)
    }

    /// Runs a command of the wallet.
    /// - Parameter isAttested: whether its attester is there.
    func run(_ arguments: [String], input: String = "", isAttested: Bool = true) async throws -> CommandResult {
        var environment = ["WALLET_CA_FILE": certificate]
        if isAttested { environment["WALLET_ATTESTER"] = Self.attester(in: server.folder) }
        return try await terminal.run(arguments, input: input, environment: environment)
    }

    /// Runs a command that has to work.
    @discardableResult
    func succeeds(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> CommandResult {
        let result = try await run(arguments, input: input)
        #expect(result.succeeded, "\(arguments): \(result.errors)", sourceLocation: sourceLocation)
        return result
    }

    // MARK: Making it

    private static func attester(in folder: URL) -> String { folder.appending(path: "attester").path }

    private static func makeCertificate(in folder: URL) async throws -> String {
        let path = folder.appending(path: "tls.pem").path
        let made = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                path + ".key", "-out", path,
            ], folder: folder)
        try #require(made.succeeded, "\(made.errors)")
        return path
    }

    private static func startServer(in folder: TemporaryFolder, _ certificate: String) async throws -> RunningServer {
        let attester = attester(in: folder.url)
        let made = try await ChildProcess.run(
            Programs.wallet, ["attester", "create", attester, "--app-id", appID],
            environment: ["WALLET_HOME": folder.url.appending(path: "wallet").path], folder: folder.url)
        try #require(made.succeeded, "\(made.errors)")
        let port = try FreePorts.next()
        let server = RunningServer(
            folder: folder.url, database: nil,
            settings: [
                "WALLETAUTH_ENVIRONMENT": "production", "WALLETAUTH_ISSUER": "https://localhost:\(port)",
                "WALLETAUTH_MASTER_KEY_FILE": try folder.writeMasterKey(), "WALLETAUTH_TLS_CERTIFICATE": certificate,
                "WALLETAUTH_TLS_KEY": certificate + ".key", "WALLETAUTH_DEVICES_APPLE_ROOTS": attester + "/root.pem",
                "WALLETAUTH_DEVICES_BIOMETRIC_KEYS": "attested-app",
            ], port: port)
        // In production serve makes none.
        try await server.require(["database", "migrate"])
        try await server.start()
        return server
    }

    private static func open(
        _ server: RunningServer, _ certificate: String, port: Int, at url: String
    ) async throws -> ProductionWorld {
        try await server.require([
            "client", "create", "com.example.wallet", "--name", "Example Wallet", "--public", "--first-party",
            "--redirect-uri", "http://127.0.0.1/callback", "--scope", PaymentWorld.scopes, "--resource", url,
            "--attest", "required", "--apple-app-id", appID,
        ])
        let backend = try RunningBackend(
            server, try await server.makeConfidentialClient(), port: port, at: url, authority: certificate)
        try await backend.start()
        let client = RegisteredClient(
            id: "com.example.wallet", secret: nil, redirectURI: "http://127.0.0.1/callback")
        return ProductionWorld(
            server: server, backend: backend, person: try await server.makeAccount(),
            terminal: await TerminalWallet(server, client), certificate: certificate)
    }
}
