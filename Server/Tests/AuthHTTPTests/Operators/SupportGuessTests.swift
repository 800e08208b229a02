import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Web

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

    /// An account with a confirmed address and a passkey, and no password.
    private func makePasskeyAccount(_ name: String, at server: TestServer) async throws {
        try await server.execute(["account", "create", name, "--email", "\(name)@example.com", "--email-verified"])
        let context = server.server.context
        let (id, now) = (try context.sealing.random.uniqueID(), context.clock.now())
        let isAdded = try await context.database.write { connection in
            let account = try #require(try Accounts.find(named: name, brand: "default", on: connection))
            let passkey = PasskeyRecord(
                id: id, credentialID: id.bytes, accountID: account.id, relyingParty: "localhost", publicKey: [0],
                counter: 0,
                isBackupEligible: false, isBackedUp: false, transports: [], name: [0], createdAt: now, coolingUntil: now
            )
            return try Passkeys.add(passkey, limit: 1, on: connection) == .added
        }
        #expect(isAdded)
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
            try await makePasskeyAccount("lone", at: server)
            for name in ["paul@example.com", "none@example.com", "lone@example.com"] {
                try await recover(name, phone.client)
            }
            let listed = try await get(phone, "/admin/v1/outbox/list")
            #expect(listed.status == .ok, "\(listed.text)")
            let kinds = try listed.json["messages"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
            #expect(kinds.count { $0 == "password_recovery_code" } == (role == "auditor" ? 2 : 0), "\(kinds)")
            #expect(kinds.contains("password_recovery_by_passkey") == (role == "auditor"), "\(kinds)")
            // The code of Maria's own second factor.
            #expect(kinds.contains { !$0.hasPrefix("password_recovery") })
        }
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
