import Foundation
import Testing

/// The terminal wallet's sign-in on another provider's page, which is answered as a person would in the browser.
@Suite("Signing in by another provider's word with the wallet program", .onceForAllEngines)
struct WalletProgramFederatedTests {
    private static let redirectURI = "http://127.0.0.1/callback"

    /// Runs a test's body with a provider whose codes go to a loopback address, and a person who has an account by it.
    private func withGuest(_ body: (RunningServer, TerminalWallet, PeerProvider) async throws -> Void) async throws {
        try await withServer { server in
            try await PeerProvider.ourOwn(for: server, redirectURI: Self.redirectURI) { provider in
                let client = try await server.makePublicClient()
                try await body(server, await TerminalWallet(server, client), provider)
            }
        }
    }

    private func begin(
        _ wallet: TerminalWallet, _ provider: PeerProvider, _ more: String...
    ) async throws -> TerminalWallet.BrowserSignIn {
        try await wallet.startSignIn(
            [
                "--provider", "example", "--provider-page", provider.authorization.absoluteString,
                "--provider-client-id", "wallet-server",
            ] + more)
    }

    @Test("The first time makes an account under the name that is typed, the next time signs in to it")
    func journey() async throws {
        try await withGuest { server, wallet, provider in
            let first = try await begin(wallet, provider, "--new-username", "ada-here")
            let made = try await wallet.finish(first, as: provider.person, ledger: provider.ledger)
            #expect(made == .exited(0))
            let shown = try await wallet.run("status", "--json")
            #expect(shown.succeeded, "\(shown.errors)")
            let subject = try #require(try shown.json["subject"] as? String)
            let account = try await server.require(["account", "show", "ada-here"])
            #expect(account.contains(subject))

            let out = try await wallet.run("sign-out")
            #expect(out.succeeded)
            let again = try await begin(wallet, provider)
            let signedIn = try await wallet.finish(again, as: provider.person, ledger: provider.ledger)
            #expect(signedIn == .exited(0))
            let next = try await wallet.run("status", "--json")
            #expect(try next.json["subject"] as? String == subject)
        }
    }

    @Test("With --link-to the person signs in to the account that they have, which the provider opens from then on")
    func joining() async throws {
        try await withGuest { server, wallet, provider in
            let person = try await server.makeAccount("grace")
            let password = try await wallet.begunJoining(as: person, at: provider)
            let ending = try await wallet.finish(password, as: provider.person, ledger: provider.ledger)
            #expect(ending == .exited(0))
            let listed = try await wallet.run("identity", "list", "--json")
            #expect(listed.succeeded, "\(listed.errors)")
            let identities = try #require(try listed.json["identities"] as? [[String: Any]])
            #expect(identities.map { $0["provider"] as? String } == ["example"])
            let out = try await wallet.run("sign-out")
            #expect(out.succeeded)
            let again = try await begin(wallet, provider)
            let signedIn = try await wallet.finish(again, as: provider.person, ledger: provider.ledger)
            #expect(signedIn == .exited(0))
            let id = try #require(identities.first?["identityId"] as? String)
            let mistyped = try await wallet.run("identity", "remove", "nope")
            #expect(mistyped.errors.contains("yours: \(id) (example)"), "\(mistyped.errors)")
            let removed = try await wallet.run("identity", "remove", id)
            #expect(removed.succeeded, "\(removed.errors)")
        }
    }

    @Test("A first sign-in without a terminal to ask at says which options it needs")
    func nobodyToAsk() async throws {
        try await withGuest { _, wallet, provider in
            let first = try await begin(wallet, provider)
            let ending = try await wallet.finish(first, as: provider.person, ledger: provider.ledger)
            #expect(ending == .exited(1))
            let status = try await wallet.run("status")
            #expect(status.ending == .exited(1))
        }
    }

    @Test(
        "--provider with half of what it needs, or with another way in, is wrong usage that names what goes with it")
    func usage() async throws {
        try await withWalletAlone { wallet in
            for arguments in [
                ["--provider", "example"], ["--provider", "example", "--provider-page", "https://idp.example.com"],
                ["--provider-page", "https://idp.example.com"],
                ["--provider", "example", "--provider-page", "http://idp.example.com", "--provider-client-id", "c"],
                ["--provider", "example", "--pin"], ["--provider", "example", "--username", "ada", "--nonce"],
                ["--new-username", "ada", "--browser"], ["--apple-account", "ada"], ["--credential-stdin"],
                ["--provider", "apple", "--provider-page", "https://appleid.apple.com/auth/authorize"],
                ["--provider", "apple", "--apple-account", "ada", "--credential-stdin"],
                ["--provider", "apple", "--apple-account", "ada", "--username", "ada"],
                ["--provider", "apple", "--apple-stand-in", "http://apple.example.com"],
                ["--provider", "apple", "--redirect-uri", "http://127.0.0.1/callback"],
                ["--provider", "apple", "--credential-stdin", "--password-stdin", "--link-to", "ada"],
            ] {
                let result = try await wallet.run(["sign-in"] + arguments)
                #expect(result.ending == .exited(64), "\(arguments): \(result.errors)")
                #expect(result.errors.contains("--"), "\(result.errors)")
            }
        }
    }

    @Test("What --provider still needs is named by its option")
    func missing() async throws {
        try await withWalletAlone { wallet in
            for (arguments, told) in [
                (["--provider", "example"], "--provider-page URL --provider-client-id ID, or --username NAME"),
                (
                    ["--provider", "example", "--provider-page", "https://idp.example.com"],
                    "also needs --provider-client-id"
                ),
                (
                    ["--provider", "example", "--provider-client-id", "c"], "also needs --provider-page"
                ),
                (
                    ["--provider", "example", "--username", "ada", "--provider-page", "https://idp.example.com"],
                    "use one or the other"
                ),
                (
                    ["--provider", "apple", "--provider-page", "https://appleid.apple.com/auth/authorize"],
                    "cannot be used with Apple"
                ),
            ] {
                let result = try await wallet.run(["sign-in"] + arguments)
                #expect(result.ending == .exited(64), "\(arguments): \(result.errors)")
                #expect(result.errors.contains(told), "\(result.errors)")
            }
        }
    }

    @Test("A missing stand-in for Apple is reported, and what is no credential of Apple's is not sent")
    func noStandIn() async throws {
        try await withTerminalWallet { server, wallet, _ in
            let issuer = await server.issuer
            try await PeerProvider.add(issuer, to: server, secret: randomText(32))
            let elsewhere = try await wallet.run(
                "sign-in", "--provider", "example", "--apple-stand-in", "\(issuer.absoluteString)/nothing",
                "--apple-account", "ada")
            #expect(elsewhere.ending == .exited(1))
            #expect(elsewhere.errors.contains("there is no stand-in for Apple at"), "\(elsewhere.errors)")
            let wrong = try await wallet.run(
                ["sign-in", "--provider", "example", "--credential-stdin"], input: "{\"code\": \"c\"}\n")
            #expect(wrong.ending == .exited(1))
            #expect(wrong.errors.contains("JSON with code and id_token"), "\(wrong.errors)")
            let refused = try await wallet.run(
                ["sign-in", "--provider", "example", "--credential-stdin"],
                input: "{\n\"code\": \"c\",\n\"id_token\": \"a.b.c\"\n}\n")
            #expect(refused.errors.contains("Apple refused the sign-in"), "\(refused.errors)")
        }
    }
}

extension TerminalWallet {
    /// Starts a sign-in on a provider's page that joins it to an account, whose password is on standard input.
    fileprivate func begunJoining(as person: Person, at provider: PeerProvider) async throws -> BrowserSignIn {
        try await startSignIn(
            [
                "--provider", "example", "--provider-page", provider.authorization.absoluteString,
                "--provider-client-id", "wallet-server", "--link-to", person.username, "--password-stdin",
            ], input: person.password + "\n")
    }
}
