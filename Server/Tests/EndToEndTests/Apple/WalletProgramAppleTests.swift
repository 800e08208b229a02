import Foundation
import Testing

/// The terminal wallet at the sandbox's own stand-in for Apple.
@Suite("Signing in with Apple with the wallet program", .onceForAllEngines, .covers("the same in the terminal"))
struct WalletProgramAppleTests {
    private func withApple(_ body: (RunningServer, TerminalWallet) async throws -> Void) async throws {
        try await withServer { server in
            let client = try await server.makePublicClient()
            try await server.addStandInForApple(for: client)
            try await body(server, await TerminalWallet(server, client))
        }
    }

    @Test("The first tap creates an account under the given name, and the next tap signs in to it at once")
    func journey() async throws {
        try await withApple { server, wallet in
            let first = try await wallet.run(
                "sign-in", "--provider", "apple", "--apple-account", "ada", "--new-username", "ada-here", "--json")
            #expect(first.succeeded, "\(first.errors)")
            #expect(first.errors.contains("Created your account here: ada-here."), "\(first.errors)")
            let subject = try #require(try first.json["subject"] as? String)
            let account = try await server.require(["account", "show", "ada-here"])
            #expect(account.contains(subject))
            #expect(!account.contains("set-password"), "Apple is the way in: \(account)")
            if TestEngine.current == .sqlite {
                // With PostgreSQL, a command is not executed by the server.
                #expect(server.logText().contains(#""provider add apple""#), "the log names the command by its words")
            }

            let out = try await wallet.run("sign-out")
            #expect(out.succeeded)
            let next = try await wallet.run("sign-in", "--provider", "apple", "--apple-account", "ada", "--json")
            #expect(next.succeeded, "\(next.errors)")
            #expect(!next.errors.contains("Created"), "\(next.errors)")
            #expect(try next.json["subject"] as? String == subject)
        }
    }

    @Test("An Apple Account of another person is not linked, and does not replace the session")
    func takenIdentity() async throws {
        try await withApple { server, wallet in
            let made = try await wallet.run(
                "sign-in", "--provider", "apple", "--apple-account", "grace", "--new-username", "grace-here", "--json")
            #expect(made.succeeded, "\(made.errors)")
            let other = try made.json["subject"] as? String
            let out = try await wallet.run("sign-out")
            #expect(out.succeeded)

            let ada = try await server.makeAccount("ada")
            let link = ["--provider", "apple", "--link-to", "ada", "--password-stdin", "--apple-account"]
            for _ in 1...2 {
                let refused = try await wallet.run(["sign-in"] + link + ["grace"], input: ada.password + "\n")
                #expect(refused.ending == .exited(1))
                #expect(
                    refused.errors.contains(
                        "this Apple Account already signs in to another account; nothing was changed"),
                    "\(refused.errors)")
                let status = try await wallet.run("status", "--json")
                #expect(status.succeeded, "\(status.errors)")
                #expect(try status.json["subject"] as? String != other)
                let identities = try await wallet.run("identity", "list", "--json")
                #expect(try (identities.json["identities"] as? [Any])?.isEmpty == true)
            }

            let wrong = try await wallet.run(["sign-in"] + link + ["ada"], input: "a wrong password\n")
            #expect(wrong.ending == .exited(1))
            for told in ["", "Nothing to link: this Apple Account already signs in to your account."] {
                let linked = try await wallet.run(["sign-in"] + link + ["ada"], input: ada.password + "\n")
                #expect(linked.succeeded, "\(linked.errors)")
                #expect(told.isEmpty || linked.errors.contains(told), "\(linked.errors)")
            }
            let identities = try await wallet.run("identity", "list", "--json")
            #expect(try (identities.json["identities"] as? [Any])?.count == 1)
        }
    }

    @Test("At a terminal the name of the account that is made is asked for")
    func asked() async throws {
        try await withApple { server, wallet in
            let result = try await wallet.run(
                ["sign-in", "--provider", "apple"],
                answering: [("User name", .text("grace-here"))])
            #expect(result.succeeded, "\(result.output)")
            #expect(try await server.require(["account", "show", "grace-here"]).contains("grace-here"))
        }
    }

    @Test("What Apple gave elsewhere is taken from standard input, and for another nonce than the printed one refused")
    func fromStandardInput() async throws {
        try await withApple { server, wallet in
            let given = try await WebClient(ledger: server.ledger).post(
                await server.url("/sandbox/apple/native"),
                json: #"{"client_id": "com.example.wallet", "nonce": "another", "account": "ada"}"#,
                headers: ["Accept": "application/json"])
            #expect(given.status == 200)
            let result = try await wallet.run(
                ["sign-in", "--provider", "apple", "--credential-stdin"], input: given.text + "\n")
            #expect(result.ending == .exited(1))
            #expect(result.errors.contains("The nonce for Apple, verbatim: "), "\(result.errors)")
            #expect(result.errors.contains("Apple refused the sign-in"), "\(result.errors)")
        }
    }
}

extension RunningServer {
    /// Adds Apple as the stand-in's console says it.
    nonisolated func addStandInForApple(for client: RegisteredClient, options: [String] = []) async throws {
        let key = folder.appending(path: "AuthKey_SANDBOXKEY.p8")
        let given = try await WebClient(ledger: ledger).get(await url("/sandbox/apple/AuthKey_SANDBOXKEY.p8"))
        try #require(given.status == 200)
        try given.body.write(to: key)
        try await require(
            [
                "provider", "add", "apple", "apple", "--team-id", "SANDBOXTM1", "--key-id", "SANDBOXKEY",
                "--private-key", key.path, "--client-id", client.id, "--base-url",
                await url("/sandbox/apple").absoluteString,
            ] + options)
    }
}
