import Core
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations

@Suite(
    "What support finds out by guessing addresses", .covers("commands over HTTP"),
    .threat("An operator's rights over HTTP"))
struct SupportGuessTests {
    /// Maria, an operator of all brands who is signed in to the operators' app with two factors.
    private func withOperator(
        _ role: String, _ body: @Sendable (TestServer, PhoneOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.use(settings: { $0.adminAPI = true }) { server in
            try await server.serve { client in
                try await server.makePublicClient { $0.scopes.append("admin") }
                for name in ["maria", "paul"] { try await server.makeReachable(name) }
                try await server.execute(AdminRequest(["operator", "grant", "maria", "--role", role, "--all-brands"]))
                try await body(server, try await PhoneOverHTTP.signedIn(server, client, scope: "openid admin"))
            }
        }
    }

    /// The proof is about the address without its query.
    private func get(_ phone: PhoneOverHTTP, _ path: String, _ query: String = "") async throws -> TestResponse {
        let nonce = phone.server.server.context.proofs.currentNonce()
        let proof = try phone.key.proof(path, method: "GET", nonce: nonce, token: phone.token)
        return try await phone.send(.get, path + query, proof: proof)
    }

    private func recover(_ name: String, _ client: any TestClientProtocol) async throws {
        var browser = BrowserOverHTTP(client: client)
        let page = try await browser.open("/oauth2/authorize?" + Journey.query())
        let asked = try await browser.press("forgot_password", on: page, at: BrowserOverHTTP.signInPage)
        _ = try await browser.press("recover", on: asked, at: BrowserOverHTTP.signInPage, [("username", name)])
    }

    @Test(
        "attack: the messages that a recovery writes for a guessed address are in no list of support or a developer",
        arguments: ["support", "developer", "auditor"])
    func recoveries(role: String) async throws {
        try await withOperator(role) { server, phone in
            for name in ["paul@example.com", "none@example.com"] {
                try await recover(name, phone.client)
            }
            let listed = try await get(phone, "/admin/v1/outbox/list")
            #expect(listed.status == .ok, "\(listed.text)")
            let kinds = try listed.json["messages"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
            #expect(kinds.count { $0 == "password_recovery_code" } == (role == "auditor" ? 2 : 0), "\(kinds)")
            // The code of Maria's own second factor.
            #expect(kinds.contains { !$0.hasPrefix("password_recovery") })
        }
    }

    @Test("attack: a message that only a passkey's account gets after a guess is in no list of support either")
    func passkeyAccounts() {
        let kinds = ["password_recovery_by_passkey", "second_factor_code"]
        var list = JSONObject()
        list["messages"] = .array(kinds.map { .object(JSONObject(strings: ["kind": $0])) })
        let left = SupportView.withoutGuesses(list)["messages"]?.array?.map { $0.object?["kind"]?.string }
        #expect(left == ["second_factor_code"])
    }

    @Test("A user name that was typed with a full-width @ is an address, and masked like one")
    func fullWidth() throws {
        let name = try #require(AddressName("eve\u{FF20}example.com"))
        #expect(name.masked == AddressName("eve@example.com")?.masked)
        #expect(AddressName("eve") == nil)
    }

    @Test("An account that does not exist is named without a command line")
    func missing() async throws {
        try await withOperator("support") { _, phone in
            let missing = try await get(phone, "/admin/v1/account/show", "?username=none")
            #expect(try missing.member("detail") == "There is no account none in the brand default.")
        }
    }

    @Test("attack: references of one's own refused sign-ins count as guesses")
    func references() async throws {
        try await withOperator("support") { _, phone in
            let explain = "/admin/v1/account/explain"
            for number in 10..<40 {
                let reference = String(repeating: "0", count: 30) + String(number)
                #expect(try await get(phone, explain, "?request=\(reference)").status == .notFound)
            }
            let reference = String(repeating: "a", count: 32)
            for query in ["?request=\(reference)", "?username=paul@example.com"] {
                let refused = try await get(phone, explain, query)
                #expect(refused.status == .tooManyRequests, "\(refused.text)")
            }
            #expect(try await get(phone, explain, "?username=paul").status == .ok)
        }
    }
}
