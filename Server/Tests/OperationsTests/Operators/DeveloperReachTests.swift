import FlowSupport
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Transactions

/// A developer of one brand registers and changes its clients, and becomes no one else by them.
@Suite(
    "What a developer changes at clients", .covers("roles of operators"), .threat("An operator's rights over HTTP"))
struct DeveloperReachTests: OperatorCalls {
    /// With ada, an owner of all brands, and eve, a developer of `default`.
    private func server(providers: ProviderHTTP = TestServer.nobody) async throws -> TestServer {
        let server = try await TestServer.start(providers: providers)
        try await make("ada", "eve", at: server)
        try await grant("ada", "owner", "--all-brands", at: server)
        try await grant("eve", "developer", at: server)
        return server
    }

    private func create(_ id: String, _ options: String..., at server: TestServer) async throws {
        try await server.administer(AdminRequest(["client", "create", id, "--name", id] + options))
    }

    @Test("attack: a developer's backend signs in as anyone of its brand, by the scope of login nonces")
    func loginNonces() async throws {
        let server = try await server()
        try await create("nonces", "--confidential", "--scope", "login_nonces", at: server)
        try await create("shop", "--confidential", "--scope", "openid", at: server)
        for words in [
            ["client", "create", "evil", "--name", "Evil", "--confidential", "--scope", "openid login_nonces"],
            ["client", "update", "shop", "--add-scope", "openid login_nonces"],
            ["client", "rotate-secret", "nonces"], ["client", "rotate-secret", "nonces", "--overlap", "now"],
            ["client", "update", "nonces", "--allow-bearer"], ["client", "delete", "nonces"],
        ] {
            #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
        }
        for words in [
            ["client", "rotate-secret", "nonces"], ["client", "update", "shop", "--add-scope", "login_nonces"],
        ] { #expect(try await code(AdminRequest(words), by: "ada", at: server) == nil, "\(words)") }
    }

    @Test("attack: a developer signs in as people at a provider, by a client of their own there")
    func providers() async throws {
        let provider = TestProvider()
        let server = try await server(providers: provider.http)
        try await server.add(provider, as: "google")
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.createAccount(app.signIn(at: provider, named: "google").guest(), username: "maria").code()
        // Also not as an owner of one brand, whose people they are.
        try await make("bob", at: server)
        try await grant("bob", "owner", at: server)
        let oidc = ["provider", "add", "oidc", "g2", "--issuer", provider.issuer, "--client-id", "evil"]
        for (words, input) in [
            (["provider", "remove", "google"], nil), (oidc, nil), (oidc + ["--client-secret-stdin"], "a secret"),
            (["provider", "add", "google", "--client-id", "evil", "--client-secret-stdin"], "a secret"),
            (["provider", "add", "google", "g2", "--client-id", "evil", "--client-secret-stdin"], "a secret"),
        ] as [([String], String?)] {
            for name in ["bob", "eve"] {
                let request = AdminRequest(words, input: input)
                #expect(try await code(request, by: name, at: server) == "forbidden_role", "\(words), \(name)")
            }
        }
        let answer = try await app.signIn(at: provider, named: "g2") { $0.set("aud", "evil") }
        #expect(throws: OAuthRefusal.self) { try answer.code() }
        _ = try await app.signIn(at: provider, named: "google").code()
        #expect(try await code(AdminRequest(oidc), by: "ada", at: server) == nil)
        #expect(try await code(["provider", "remove", "google"], by: "ada", at: server) == nil)
    }

    @Test("attack: a developer makes an own app a third party's, in order to change it then")
    func disowned() async throws {
        let server = try await server()
        let uri = "com.example.app:/callback"
        try await create("wallet", "--public", "--first-party", "--redirect-uri", uri, at: server)
        try await create("guests", "--confidential", "--guest-tokens", "--loyalty-merchant", "1", at: server)
        for words in [
            ["client", "update", "wallet", "--no-first-party"], ["client", "update", "guests", "--no-guest-tokens"],
            ["client", "update", "guests", "--no-guest-passwords"],
        ] {
            #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
            #expect(try await code(AdminRequest(words), by: "ada", at: server) == nil, "\(words)")
        }
        let redirect = ["client", "update", "wallet", "--add-redirect-uri", "com.example.other:/callback"]
        #expect(try await code(AdminRequest(redirect), by: "eve", at: server) == nil)
    }

    @Test("attack: a developer takes the secret with which an own app's codes are redeemed, or payments are asked for")
    func secrets() async throws {
        let server = try await server()
        try await create("redeemer", "--confidential", "--scope", "openid", at: server)
        try await create("plain", "--confidential", "--scope", "openid", at: server)
        let uri = "com.example.app:/callback"
        try await create(
            "wallet", "--public", "--first-party", "--redirect-uri", uri, "--redeemer", "redeemer", at: server)
        try await create("aurora", "--public", "--redirect-uri", uri, "--redeemer", "plain", at: server)
        for scope in ["wallet_operations", BackendTransactions.scope] {
            try await create(scope, "--confidential", "--scope", "openid \(scope)", at: server)
        }
        for id in ["redeemer", "wallet_operations", BackendTransactions.scope] {
            for options in [[], ["--overlap", "now"], ["--end-former"]] {
                let words = ["client", "rotate-secret", id] + options
                #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
            }
            #expect(try await code(["client", "rotate-secret", id], by: "ada", at: server) == nil, "\(id)")
            #expect(try await code(["client", "update", id, "--name", "Mine"], by: "eve", at: server) == nil, "\(id)")
        }
        #expect(try await code(["client", "rotate-secret", "plain"], by: "eve", at: server) == nil)
    }

    @Test(
        "A developer of all brands replaces the secret of a webhook as they add one; a developer of one brand does neither"
    )
    func webhooks() async throws {
        let server = try await server()
        try await make("bob", at: server)
        try await grant("bob", "developer", "--all-brands", at: server)
        try await create("shop", "--confidential", "--scope", BackendTransactions.scope, at: server)
        let add: AdminRequest = ["webhook", "add", TestServer.hook, "--client", "shop"]
        #expect(try await code(add, by: "eve", at: server) == "forbidden_role")
        let added = try await call(add, by: "bob", at: server).document()
        let (id, secret) = (try #require(added["id"]?.string), added["secret"]?.string)
        let rotate: AdminRequest = ["webhook", "rotate-secret", id]
        #expect(try await code(rotate, by: "eve", at: server) == "forbidden_role")
        let rotated = try await call(rotate, by: "bob", at: server).document()
        #expect(rotated["secret"]?.string?.hasPrefix("whsec_") == true && rotated["secret"]?.string != secret)
    }

    @Test(
        "attack: a developer moves links and messages of an own app elsewhere, or takes away what protects its tokens")
    func links() async throws {
        let server = try await server()
        let uri = "com.example.app:/callback"
        try await create("wallet", "--public", "--first-party", "--redirect-uri", uri, at: server)
        try await create("guests", "--confidential", "--guest-tokens", "--loyalty-merchant", "1", at: server)
        try await create("app", "--public", "--redirect-uri", uri, at: server)
        let before = try await server.administer(["client", "show", "wallet"])
        for option in [
            "--allow-bearer", "--add-apple-app-id=ABCDE12345.com.evil.app",
            "--add-android-app=com.evil.app=" + String(repeating: "AB", count: 32),
            "--add-passkey-origin=https://evil.example",
            "--app-store-url=https://apps.example.com/evil",
            "--play-store-url=https://play.example.com/evil", "--push-topic=com.evil.app",
            "--add-reset-credentials-url=https://evil.example/reset",
            "--add-consent-return-url=https://evil.example/agreed",
            "--add-post-logout-redirect-uri=https://evil.example/out",
            "--backchannel-logout-uri=https://evil.example/logout",
            "--add-resource=https://evil.example", "--site-url=https://evil.example", "--add-scope=payments",
            "--verify-app-installation",
        ] {
            let words = ["client", "update", "wallet", option]
            #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)")
        }
        for words in [
            ["client", "update", "guests", "--add-loyalty-merchant", "2"], ["client", "rotate-secret", "guests"],
        ] { #expect(try await code(AdminRequest(words), by: "eve", at: server) == "forbidden_role", "\(words)") }
        #expect(try await server.administer(["client", "show", "wallet"]) == before)
        for words in [
            ["client", "update", "wallet", "--name", "Wallet", "--access-token-lifetime", "120"],
            ["client", "update", "app", "--add-scope", "payments", "--add-resource", "https://api.example.com"],
        ] { #expect(try await code(AdminRequest(words), by: "eve", at: server) == nil, "\(words)") }
        let moved = ["client", "update", "wallet", "--add-consent-return-url", "https://app.example.com/agreed"]
        #expect(try await code(AdminRequest(moved), by: "ada", at: server) == nil)
    }

    @Test("attack: a developer of one brand learns which clients another has, by naming them as redeemers")
    func redeemers() async throws {
        let server = try await server()
        try await server.administer(["brand", "create", "red", "--name", "Red"])
        try await create("redback", "--confidential", "--scope", "openid", "--brand", "red", at: server)
        try await create("own", "--confidential", "--scope", "openid", at: server)
        try await create("app", "--public", "--redirect-uri", "com.example.app:/callback", at: server)
        for (id, expected) in [("redback", "not_found"), ("none", "not_found"), ("own", nil)] as [(String, String?)] {
            let created = AdminRequest([
                "client", "create", "of-\(id)", "--name", "New", "--redirect-uri", "com.example.new:/callback",
                "--redeemer", id,
            ])
            let changed: AdminRequest = ["client", "update", "app", "--redeemer", "\(id)"]
            for words in [created, changed] {
                let refusal = try await call(words, by: "eve", at: server).refusal
                #expect(refusal?.code == expected, "\(words)")
                #expect(refusal?.message.replacing(id, with: "it") == expected.map { _ in Self.noRedeemer })
            }
        }
    }

    private static let noRedeemer = "There is no confidential client it in the brand to redeem codes; create it first."
}
