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
