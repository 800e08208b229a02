import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("The apps and sites with which a client uses passkeys", .covers("walletauth client update"))
struct ClientPasskeyTests {
    private static let digest = String(repeating: "AB", count: 32)

    @Test("Android apps and sites are added and removed, in one form")
    func changes() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        let colons = Array(repeating: "ab", count: 32).joined(separator: ":")
        try await server.administer([
            "client", "update", id, "--add-android-app", "com.example.wallet=\(colons)", "--add-passkey-origin",
            "https://shop.example.com:8443",
        ])
        let shown = try await server.administer(["client", "show", id])
        #expect(try shown.strings("androidApps") == ["com.example.wallet=\(Self.digest)"])
        #expect(try shown.strings("passkeyOrigins") == ["https://shop.example.com:8443"])
        try await server.administer([
            "client", "update", id, "--remove-android-app", "com.example.wallet=\(colons)", "--remove-passkey-origin",
            "https://shop.example.com:8443",
        ])
        let removed = try await server.administer(["client", "show", id])
        #expect(removed["androidApps"] == nil)
        #expect(removed["passkeyOrigins"] == nil)
    }

    @Test("The terminal wallet's origin is registered at a server on a domain and at a sandbox on localhost")
    func terminalWallet() async throws {
        let server = try await TestServer.start()
        for origin in ["https://auth.example.com", "https://localhost"] {
            let answer = await server.flows.administration.execute(
                AdminRequest([
                    "client", "create", "--name", "Terminal", "--public", "--first-party", "--redirect-uri",
                    "http://127.0.0.1/callback", "--scope", "openid", "--passkey-origin", origin,
                ]))
            #expect(answer.status == .done, "\(answer.lines)")
        }
    }

    @Test(
        "An origin that no device states is refused, with the one to write in its place",
        arguments: [
            ("https://shop.example.com/", "here https://shop.example.com."),
            ("https://shop.example.com/login", "here https://shop.example.com."),
            ("https://SHOP.example.com:443", "here https://shop.example.com."),
            ("http://shop.example.com", "here https://shop.example.com."),
            ("shop.example.com:8443", "here https://shop.example.com:8443."),
            ("https://shop.example.com:08443", "such as https://shop.example.com."),
            ("https://ada@shop.example.com", "such as https://shop.example.com."),
            ("android:apk-key-hash:x", "such as https://shop.example.com."),
            ("https://", "such as https://shop.example.com."),
            ("https://127.0.0.1", "is an IP address"), ("https://127.0.0.1:8790", "https://localhost on this machine"),
            // The server's own address, at which it speaks http.
            ("https://localhost:8790", "write https://localhost, without the port."),
            ("http://localhost:8790/", "write https://localhost, without the port."),
        ])
    func noOrigin(origin: String, sentence: String) async throws {
        let server = try await TestServer.start { settings in
            if let issuer = try? Issuer("http://localhost:8790") { settings.issuer = issuer }
        }
        let id = try await server.publicClient().id.rawValue
        let added = await server.flows.administration.execute(["client", "update", id, "--add-passkey-origin", origin])
        #expect(added.status == .refused)
        #expect(added.refusal?.message.contains(sentence) == true, "\(added.lines)")
        let made = await server.flows.administration.execute(
            AdminRequest([
                "client", "create", "--name", "Terminal", "--public", "--first-party", "--passkey-origin", origin,
            ]))
        #expect(made.refusal?.message == added.refusal?.message, "\(made.lines)")
    }

    @Test("An origin that the terminal wallet does not state, or a server without passkeys, is pointed out once")
    func advice() async throws {
        for (issuer, origin, sentence) in [
            ("http://localhost:8790", "https://localhost:3000", "The terminal wallet states https://localhost."),
            ("http://127.0.0.1:8790", "https://shop.example.com", "start it with --issuer http://localhost:8790."),
        ] {
            let server = try await TestServer.start { settings in
                if let issuer = try? Issuer(issuer) { settings.issuer = issuer }
            }
            let id = try await server.publicClient().id.rawValue
            let administration = server.flows.administration
            let update = ["client", "update", id, "--add-passkey-origin", origin]
            let added = await administration.execute(AdminRequest(update))
            #expect(added.status == .done)
            #expect(added.lines.contains { $0.contains(sentence) }, "\(added.lines)")
            let again = await administration.execute(AdminRequest(update + ["--name", "Till"]))
            #expect(!again.lines.contains { $0.contains(sentence) }, "\(again.lines)")
            let made = await administration.execute(
                AdminRequest([
                    "client", "create", "--name", "Terminal", "--public", "--first-party", "--passkey-origin", origin,
                ]))
            #expect(made.lines.contains { $0.contains(sentence) }, "\(made.lines)")
        }
    }

    @Test(
        "A client shows that its app asks for passkeys, for whatever reason the app was registered",
        arguments: [
            ("apple-app-id", "ABCDE12345.com.example.wallet"),
            ("android-app", "com.example.wallet=" + String(repeating: "AB", count: 32)),
            ("passkey-origin", "https://shop.example.com"),
        ])
    func shown(option: String, value: String) async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient().id.rawValue
        #expect(try await server.administer(["client", "show", id])["asksForPasskeys"] == .bool(false))
        try await server.administer(["client", "update", id, "--add-\(option)", value])
        #expect(try await server.administer(["client", "show", id])["asksForPasskeys"] == .bool(true))
    }

    @Test("One of another form is refused, and any at a client that is not the operator's own app")
    func refused() async throws {
        let server = try await TestServer.start()
        let id = try await server.publicClient {
            $0.androidApps = ["com.example.wallet=\(Self.digest)"]
        }.id.rawValue
        for option in [
            "--add-android-app=com.example.wallet", "--add-android-app=wallet=\(Self.digest)",
            "--add-android-app=com.example.wallet=ABCD", "--add-passkey-origin=http://shop.example.com",
            "--add-passkey-origin=https://shop.example.com/", "--add-passkey-origin=https://shop.example.com:443",
            "--add-passkey-origin=https://SHOP.example.com", "--add-passkey-origin=android:apk-key-hash:x",
            "--remove-passkey-origin=https://other.example.com", "--no-first-party",
        ] {
            let answer = await server.flows.administration.execute(AdminRequest(["client", "update", id, option]))
            #expect(answer.status == .refused, "\(option): \(answer.lines)")
        }
        let backend = [
            "client", "create", "--name", "Till", "--confidential", "--passkey-origin", "https://shop.example.com",
        ]
        #expect(await server.flows.administration.execute(AdminRequest(backend)).status == .refused)
    }
}
