import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Administration of passkeys")
struct PasskeyAdministrationTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    private func listed(_ server: TestServer) async throws -> [JSONObject] {
        try await server.administer(AdminRequest(["passkey", "list"] + Self.ada.words))["passkeys"]?.array?
            .compactMap(
                \.object) ?? []
    }

    private func refusal(_ server: TestServer, _ words: [String]) async throws -> String? {
        let answer = await server.flows.administration.execute(AdminRequest(words))
        return answer.refusal?.code
    }

    @Test("The list shows what an account has, until when each cools, and those of a former domain as such")
    func list() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        var passkey = try SoftwarePasskey()
        _ = try await TestBrowser(server).add(&passkey, called: "Laptop")
        let shown = try #require(try await listed(server).first)
        #expect(try shown.string("name") == "Laptop")
        #expect(try shown.string("relyingParty") == "auth.example.com")
        #expect(try shown.string("credentialId") == Base64URL.encode(passkey.credentialID))
        #expect(shown["lastUsedAt"] == nil)
        func lines() async -> String {
            await server.flows.administration.execute(AdminRequest(["passkey", "list"] + Self.ada.words)).lines
                .joined(
                    separator: "\n")
        }
        #expect(await lines().contains("cooling until"))
        server.clock.advance(by: .hours(24))
        #expect(await lines().contains("active"))
        _ = try await server.context.database.write {
            try $0.execute("UPDATE passkeys SET relying_party = 'old.example.com'", [])
        }
        #expect(await lines().contains("of old.example.com"))
    }

    @Test(
        "Passkeys of a former domain are counted by domain, and none of the present one",
        arguments: ["https://id.example.com", "http://127.0.0.1:8700"])
    func formerDomains(issuer: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        func found(_ server: TestServer) async throws -> [JSONObject] {
            try await server.administer(["passkey", "examine"])["formerDomains"]?.array?.compactMap(\.object) ?? []
        }
        #expect(try await found(server).isEmpty)
        let former = try await found(server.moved(to: issuer))
        #expect(former.count == 1)
        #expect(try former.first?.string("relyingParty") == "auth.example.com")
        #expect(former.first?["passkeys"]?.integer == 1)
        #expect(former.first?["accounts"]?.integer == 1)
    }

    @Test(
        "A removed one no longer signs in; what passkeys had opened ends; the holder is notified, and the audit log says so"
    )
    func remove() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.publicClient()
        let browser = TestBrowser(server)
        let outcome = try await browser.signIn(to: client, with: passkey)
        guard case .redirect = outcome else {
            Issue.record("it does not sign in: \(String(describing: outcome))")
            return
        }
        let id = try #require(try await listed(server).first?.string("passkeyId"))
        server.clock.advance(by: .milliseconds(1))
        try await server.administer(["passkey", "remove", id])
        #expect(try await listed(server).isEmpty)
        let refused = try await TestBrowser(server).signIn(to: client, with: passkey).page()
        #expect(refused.notice == .passkeyRefused)
        let told = try await server.messages().filter { $0.kind == "passkey_removed" }
        #expect(try told.map { try $0.content.string("device") } == ["Laptop"])
        let recorded = try await server.context.database.read {
            try $0.row("SELECT details FROM security_events WHERE kind = 'passkey.removed'", [])?.text("details")
        }
        #expect(recorded?.contains(id) == true)
        #expect(try await refusal(server, ["passkey", "remove", id]) == "not_found")
        #expect(try await refusal(server, ["passkey", "remove", "no id"]) == "not_found")
    }

    @Test("attack: a session that a stolen passkey opened ends with it, and renews no token")
    func sessions() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let account = try #require(try await server.accountID())
        let client = try await server.publicClient()
        let thief = try await TestDevice.signedIn(account, client, methods: ["pop", "uv"])
        let holder = try await TestDevice.signedIn(account, client, methods: ["pwd"])
        let id = try #require(try await listed(server).first?.string("passkeyId"))
        try await server.administer(["passkey", "remove", id])
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await thief.list(factors: ()) }
        _ = try await holder.list(factors: ())
    }

    @Test("Removing the last way in says so, and how to give the account another one")
    func lastWayIn() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        _ = try await server.context.database.write {
            try $0.execute(
                "UPDATE accounts SET password = NULL, password_state = 'none', password_changed_at = NULL", [])
        }
        let id = try #require(try await listed(server).first?.string("passkeyId"))
        let answer = await server.flows.administration.execute(["passkey", "remove", id])
        #expect(answer.status == .done)
        #expect(answer.lines.joined().contains("walletauth account set-password"))
    }
}
