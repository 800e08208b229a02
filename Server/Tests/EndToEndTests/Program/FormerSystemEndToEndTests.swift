import Foundation
import Testing
import WalletAuth

@Suite("Moving in from a system that goes on for a while", .covers("account import"))
struct FormerSystemEndToEndTests {
    private static let day = "2099-12-31"

    /// Imports Ada, whom the former system knows by the id 7, without a hash.
    private func moveIn(to server: RunningServer) async throws -> (old: PeerProcess, client: RegisteredClient) {
        let old = try await PeerProcess.start("former_system.py", [:], in: server.folder)
        let file = server.folder.appending(path: "people.jsonl")
        try #"{"externalId":"7","username":"Ada"}"#.write(to: file, atomically: true, encoding: .utf8)
        try await server.require(["account", "import", file.path])
        return (old, try await server.makePublicClient())
    }

    private func wallet(at server: RunningServer, _ client: RegisteredClient) async throws -> Wallet {
        let person = Person(username: "ada", password: "unused")
        let device = Device(ledger: server.ledger, person: person, redirectURI: client.redirectURI)
        return try device.wallet(issuer: await server.issuer, client: client)
    }

    @Test(
        "attack: a password check that hangs, never ends, redirects or is too long is a wrong password after three seconds, as at any name",
        .onceForAllEngines
    )
    func passwords() async throws {
        try await withServer { server in
            let (old, client) = try await moveIn(to: server)
            defer { old.stop() }
            try await server.require([
                "provider", "add", "repository", "old", "--endpoint", "\(old.address)/verify", "--adopt-passwords",
                "--until",
                Self.day,
            ])
            for (name, password) in [
                ("ada", "hang"), ("ada", "drip"), ("ada", "redirect"), ("ada", "large"), ("nobody", "hang"),
            ] {
                let wallet = try await wallet(at: server, client)
                let begin = ContinuousClock.now
                await #expect("\(name) \(password)") {
                    try await wallet.login(username: name, password: password)
                } throws: {
                    ($0 as? WalletError)?.code.rawValue == "invalid_credentials"
                }
                #expect(ContinuousClock.now - begin >= .seconds(3), "\(name) \(password)")
            }
            try await wallet(at: server, client).login(username: "ada", password: "correct horse battery").signedIn()
            old.stop()
            try await wallet(at: server, client).login(username: "ada", password: "correct horse battery").signedIn()
            #expect(try await old.messages(5).map { $0["path"] } == [String?](repeating: "/verify", count: 5))
        }
    }

    @Test("An app that moved in stays signed in by the refresh token that it has, once")
    func sessions() async throws {
        try await withServer { server in
            let (old, client) = try await moveIn(to: server)
            defer { old.stop() }
            try await server.require(
                [
                    "provider", "add", "introspection", "old", "--endpoint", "\(old.address)/introspect", "--client-id",
                    "wallet-server", "--client-secret-stdin", "--client", client.id, "--former-client", "old-app",
                    "--until",
                    Self.day,
                ], input: "an introspection secret\n")
            let wallet = try await wallet(at: server, client)
            let identity = try await wallet.adopt(refreshToken: "former-refresh-token")
            let shown = try await server.require(["account", "show", "ada", "--json"])
            #expect(identity.map { shown.contains($0.subject ?? "?") } ?? false, "\(shown)")
            try await wallet.refresh()
            let thief = try await self.wallet(at: server, client)
            await #expect(throws: WalletError.self) { try await thief.adopt(refreshToken: "former-refresh-token") }
            await #expect(throws: WalletError.self) { try await thief.adopt(refreshToken: "guessed-refresh-token") }
            #expect(!thief.isLoggedIn && wallet.isLoggedIn)
        }
    }
}
