import Foundation
import Testing

/// What the operator's commands say about a typing error or an absent provider.
@Suite("The walletauth program's guidance", .onceForAllEngines)
struct OperatorGuidanceTests {
    @Test("An unreachable provider is added with a warning, and the doctor reports it, with or without a server")
    func absentProvider() async throws {
        try await withServer { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let other = try await RunningServer.onNewDatabase(folder: folder.url)
            try await other.start()
            let issuer = await other.issuer.absoluteString
            func add(_ id: String) async throws -> CommandResult {
                try await server.administer(
                    [
                        "provider", "add", "oidc", id, "--issuer", issuer, "--client-id", "wallet-server",
                        "--client-secret-stdin",
                    ], input: "a secret\n")
            }
            let sound = try await add("present")
            #expect(sound.output == "Provider present added to the brand default.")
            let healthy = try await server.administer(["doctor", "--port", "0"])
            #expect(healthy.output.contains("ok    provider       present of the brand default"), "\(healthy.output)")

            _ = try await other.stop()
            let absent = try await add("absent")
            #expect(absent.succeeded, "it may be there tomorrow")
            #expect(absent.output.contains("WARNING: people cannot sign in with it yet: \(issuer) is not usable"))
            #expect(absent.output.contains("walletauth provider remove absent"))
            let running = try await server.administer(["doctor", "--port", "0"])
            #expect(running.ending == .exited(1))
            for id in ["absent", "present"] {
                #expect(running.output.contains("fail  provider       \(id) of the brand default"), "\(running.output)")
            }
            _ = try await server.stop()
            let stopped = try await server.administer(["doctor", "--port", "0"])
            #expect(stopped.output.contains("fail  provider       absent of the brand default"), "\(stopped.output)")
            try await server.start()
        }
    }

    @Test("If standard input ends too early, the error says what is missing")
    func secrets() async throws {
        try await withServer { server in
            let provider = try await server.administer([
                "provider", "add", "oidc", "x", "--issuer", "https://id.example.com", "--client-id", "c",
                "--client-secret-stdin",
            ])
            #expect(provider.errors.contains("standard input contains no client secret"), "\(provider.errors)")
            let account = try await server.administer(["account", "create", "ada", "--password-stdin"])
            #expect(account.errors.contains("standard input contains no password"), "\(account.errors)")
        }
    }

    @Test("The record of one account is asked for by its user name or its id, in whichever brand")
    func tails() async throws {
        try await withServer { server in
            _ = try await server.makeAccount("ada")
            _ = try await server.makeAccount("eve")
            try await server.require(["brand", "create", "blue", "--name", "Blue"])
            try await server.require(["account", "create", "ada", "--brand", "blue"])
            let named = try await server.require(["audit", "tail", "--account", "ada"])
            #expect(named.split(separator: "\n").count == 1 && named.contains("account.created"), "\(named)")
            let id = try #require(named.firstMatch(of: /account=(\S+)/)).output.1
            let byID = try await server.require(["audit", "tail", "--account", String(id)])
            #expect(byID == named)
            let blue = try await server.require(["audit", "tail", "--account", "ada", "--brand", "blue"])
            #expect(!blue.contains(id) && blue.contains("account.created"))
            let nobody = try await server.administer(["audit", "tail", "--account", "nobody"])
            #expect(nobody.ending == .exited(1) && nobody.errors.contains("nobody"), "\(nobody.errors)")
            let kind = try await server.administer(["audit", "tail", "--kind", "account.nope"])
            #expect(kind.ending == .exited(1) && kind.errors.contains("account.signed_in"), "\(kind.errors)")
            let alone = try await server.administer(["audit", "tail", "--brand", "blue"])
            #expect(alone.ending == .exited(0), "\(alone.errors)")
        }
    }
}
