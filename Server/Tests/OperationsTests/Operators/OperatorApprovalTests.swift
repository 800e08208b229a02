import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

/// Calls as the endpoints make them, after the token was checked, on a server that wants two operators.
@Suite("Two operators", .covers("two operators for one call"), .threat("An operator's rights over HTTP"))
struct OperatorApprovalTests {
    private let erase: AdminRequest = ["account", "erase", "--", "maria"]

    private func id(_ name: String, at server: TestServer) async throws -> UniqueID {
        let account = try await server.context.database.read {
            try Accounts.find(named: name, brand: "default", on: $0)
        }
        return try #require(account?.id)
    }

    /// - Returns: the code of the refusal; `nil` if the call was carried out.
    private func call(_ words: AdminRequest, by name: String, at server: TestServer) async throws -> String? {
        try await refusal(words, by: .person(id(name, at: server)), at: server)?.code
    }

    private func refusal(
        _ words: AdminRequest, by identity: OperatorCaller.Identity, at server: TestServer
    ) async throws -> AdministrationRefusal? {
        let caller = OperatorCaller(
            identity: identity, clientID: try ClientID("console"), origin: TestServer.origin, now: server.clock.now(),
            shortcoming: nil)
        let administration = server.flows.administration
        let owner = OperatorGrant(.owner, brand: nil)
        let grant = try await OperatorCall.grant(of: caller, in: administration) ?? owner
        let command = try administration.command(for: words)
        return await OperatorCall(administration: administration, caller: caller, command: command, request: words)
            .run(under: grant).refusal
    }

    /// Ada and bob are owners, carl helps people, and maria is a customer.
    private func start() async throws -> TestServer {
        let server = try await TestServer.start { $0.twoOperators = true }
        for name in ["ada", "bob", "carl", "maria"] { try await server.administer(["account", "create", name]) }
        for name in ["ada", "bob"] {
            try await server.administer(["operator", "grant", name, "--role", "owner", "--all-brands"])
        }
        try await server.administer(["operator", "grant", "carl", "--role", "support"])
        return server
    }

    private func state(_ server: TestServer) async throws -> AccountState? {
        try await server.context.database.read {
            try $0.row("SELECT state FROM accounts WHERE id NOT IN (SELECT account_id FROM operators)", [])?
                .name("state")
        }
    }

    private func entries(_ kind: String, at server: TestServer) async throws -> [JSONObject] {
        let tail = try await server.administer(["audit", "tail", "--kind", kind, "--limit", "100"])
        return tail["entries"]?.array?.compactMap { $0.object?["details"]?.object } ?? []
    }

    private func waiting(_ server: TestServer) async throws -> [JSONObject] {
        try await server.administer(["operator", "pending"])["pending"]?.array?.compactMap(\.object) ?? []
    }

    @Test("The first call waits, and the same call by another operator carries it out; both are in the entry")
    func two() async throws {
        let server = try await start()
        #expect(try await call(erase, by: "ada", at: server) == "pending_approval")
        #expect(try await state(server) == .active)
        let ada = try await id("ada", at: server).uuid
        let waiting = try await waiting(server)
        #expect(waiting.map { $0["command"]?.string } == ["account erase"])
        #expect(waiting.first?["operator"]?.string == ada)
        #expect(try await entries("operator.requested", at: server).count == 1)
        // Named by its id, it is the same account.
        let byID = AdminRequest(["account", "erase", "--account=\(try await id("maria", at: server).uuid)"])
        #expect(try await call(byID, by: "bob", at: server) == nil)
        #expect(try await state(server) == .erased)
        let called = try await entries("operator.called", at: server)
        #expect(called.map { $0["requested_by"]?.string } == [ada])
        #expect(called.first?["operator"]?.string == (try await id("bob", at: server).uuid))
        #expect(try await self.waiting(server).isEmpty)
        #expect(try await entries("operator.refused", at: server).isEmpty)
    }

    @Test("attack: the same person never is the second one, nor is a role that may not run the command, or a backend")
    func alone() async throws {
        let server = try await start()
        for _ in 0..<2 { #expect(try await call(erase, by: "ada", at: server) == "pending_approval") }
        #expect(try await waiting(server).count == 1)
        #expect(try await call(erase, by: "carl", at: server) == "forbidden_role")
        #expect(try await state(server) == .active)
        _ = try await server.confidentialClient("backend") {
            $0.authenticationMethod = "private_key_jwt"
            $0.keySet = JSONValue.object(JWKSet([TestKey().publicKey]).json).text
            $0.scopes = ["admin"]
            $0.requiresDPoP = true
            $0.adminRole = "owner"
        }
        let backend = try await refusal(erase, by: .backend(ClientID("backend")), at: server)
        #expect(backend?.message == "This takes two people, and a backend is none.")
        #expect(try await state(server) == .active)
    }

    @Test(
        "attack: no one-time link is made where it takes two, or by a backend: who gets it would be another operator as well",
        arguments: [
            ["operator", "grant", "--role=owner", "--all-brands", "--link", "--", "maria"],
            ["account", "create", "--operator=support", "--", "new"],
        ])
    func links(words: [String]) async throws {
        let server = try await start()
        for name in ["ada", "bob"] {
            #expect(try await call(AdminRequest(words), by: name, at: server) == "forbidden_role")
        }
        #expect(try await waiting(server).isEmpty)
        let one = try await TestServer.start()
        try await one.administer(["account", "create", "maria"])
        _ = try await one.confidentialClient("backend") {
            $0.authenticationMethod = "private_key_jwt"
            $0.keySet = JSONValue.object(JWKSet([TestKey().publicKey]).json).text
            $0.scopes = ["admin"]
            $0.requiresDPoP = true
            ($0.adminRole, $0.adminAllBrands) = ("owner", true)
        }
        let backend = try await refusal(AdminRequest(words), by: .backend(ClientID("backend")), at: one)
        #expect(backend?.message == "A backend makes no one-time links.")
        #expect(try await one.rows(of: "operator_invitations") == 0)
        // Without a link, a backend grants roles as before.
        let grant: AdminRequest = ["operator", "grant", "--role=support", "--", "maria"]
        #expect(try await refusal(grant, by: .backend(ClientID("backend")), at: one) == nil)
    }

    @Test(
        "attack: one owner alone changes, removes or confirms no address or number, confirmed or not",
        arguments: [
            ["account", "set-email", "--email=mallory@example.com", "--verified", "--", "maria"],
            ["account", "set-email", "--email=mallory@example.com", "--", "maria"],
            ["account", "set-email", "--remove", "--", "maria"],
            ["account", "set-phone", "--phone=+35921234567", "--verified", "--", "maria"],
            ["account", "set-phone", "--phone=+35921234567", "--", "maria"],
            ["account", "set-phone", "--remove", "--", "maria"],
            ["account", "update", "--phone-verified", "--", "maria"], ["account", "verify-email", "--", "maria"],
        ])
    func contacts(words: [String]) async throws {
        let server = try await start()
        #expect(try await call(AdminRequest(words), by: "ada", at: server) == "pending_approval")
        let name: AdminRequest = ["account", "update", "--given-name=Maria", "--", "maria"]
        #expect(try await call(name, by: "ada", at: server) == nil)
    }

    @Test("attack: a first call counts no longer once its operator has lost the role, or after a day")
    func over() async throws {
        let server = try await start()
        #expect(try await call(erase, by: "ada", at: server) == "pending_approval")
        try await server.administer(["operator", "grant", "ada", "--role", "support"])
        // It is the first call of bob's now.
        #expect(try await call(erase, by: "bob", at: server) == "pending_approval")
        try await server.administer(["operator", "grant", "ada", "--role", "owner", "--all-brands"])
        server.clock.advance(by: .hours(25))
        #expect(try await call(erase, by: "ada", at: server) == "pending_approval")
        #expect(try await state(server) == .active)
        #expect(try await call(erase, by: "bob", at: server) == nil)
    }

    @Test("attack: a call with another value is another call")
    func otherValue() async throws {
        let server = try await start()
        let support: AdminRequest = ["operator", "grant", "--role=support", "--", "maria"]
        #expect(try await call(support, by: "ada", at: server) == "pending_approval")
        let owner: AdminRequest = ["operator", "grant", "--role=owner", "--all-brands", "--", "maria"]
        #expect(try await call(owner, by: "bob", at: server) == "pending_approval")
        #expect(try await call(support, by: "bob", at: server) == nil)
        let maria = try await id("maria", at: server)
        let role = try await server.context.database.read { try Operators.find(maria, on: $0) }
        #expect(role == OperatorGrant(.support, brand: "default"))
    }

    @Test("attack: a call with another secret is another call")
    func otherSecret() async throws {
        let server = try await start()
        func add(_ secret: String) -> AdminRequest {
            AdminRequest(
                [
                    "provider", "add", "introspection", "--endpoint=https://old.example.com/introspect",
                    "--client-id=wallet", "--client-secret-stdin", "--client=app", "--former-client=app",
                    "--until=2027-03-31", "--", "old",
                ], input: secret)
        }
        #expect(try await call(add("one"), by: "ada", at: server) == "pending_approval")
        #expect(try await call(add("another"), by: "bob", at: server) == "pending_approval")
        #expect(try await waiting(server).count == 2)
        // Both operators agree, and the command itself finds no such app.
        #expect(try await call(add("one"), by: "bob", at: server) == "not_found")
        #expect(try await waiting(server).count == 2)
    }

    private let unknownBrand: AdminRequest = ["operator", "grant", "--role=support", "--for-brand=blue", "--", "maria"]

    @Test("A second call that was refused is repeated once nothing is in its way, without another first call")
    func repeated() async throws {
        let server = try await start()
        #expect(try await call(unknownBrand, by: "ada", at: server) == "pending_approval")
        for _ in 0..<2 { #expect(try await call(unknownBrand, by: "bob", at: server) == "not_found") }
        let ada = try await id("ada", at: server).uuid
        #expect(try await waiting(server).map { $0["operator"]?.string } == [ada])
        try await server.administer(["brand", "create", "blue", "--name", "Blue"])
        #expect(try await call(unknownBrand, by: "bob", at: server) == nil)
        #expect(try await waiting(server).isEmpty)
        #expect(try await entries("operator.requested", at: server).count == 1)
    }

    @Test(
        "attack: a first call does not wait again if the second one may have been carried out, or was in part",
        arguments: [("outcome_unknown", false), ("unavailable", true), ("forbidden_role", true)])
    func carriedOut(code: String, isLater: Bool) async throws {
        let server = try await start()
        let create: AdminRequest = ["client", "create", "shop", "--name", "Shop", "--confidential", "--scope"]
        try await server.administer(AdminRequest(create.words + ["login_nonces"]))
        let delete: AdminRequest = ["client", "delete", "shop"]
        #expect(try await call(delete, by: "ada", at: server) == "pending_approval")
        let fail: @Sendable () async throws -> Void = {
            guard code == "forbidden_role" else { throw StoreError(.init(rawValue: code), "the connection was lost") }
            try await WriteCondition.$current.withValue(nil) {
                _ = try await server.administer(["operator", "grant", "bob", "--role", "support"])
            }
        }
        // The first write takes the request, and the command has two.
        server.beforeNextWrite {
            server.beforeNextWrite { if isLater { server.beforeNextWrite(fail) } else { try await fail() } }
        }
        #expect(try await call(delete, by: "bob", at: server) == code)
        #expect(try await waiting(server).isEmpty)
    }

    @Test(
        "attack: a first call does not wait again after its operator, or the account that it is about, got another role",
        arguments: ["ada", "maria"])
    func otherRole(name: String) async throws {
        let server = try await start()
        #expect(try await call(unknownBrand, by: "ada", at: server) == "pending_approval")
        // The first write takes the request, the second is the command's.
        server.beforeNextWrite {
            server.beforeNextWrite {
                try await WriteCondition.$current.withValue(nil) {
                    _ = try await server.administer(["operator", "grant", name, "--role", "support"])
                }
            }
        }
        #expect(try await call(unknownBrand, by: "bob", at: server) == "not_found")
        #expect(try await waiting(server).isEmpty)
    }

    @Test("attack: a link outlives neither the role of the owner who made it over HTTP, nor their account")
    func linkOfFormerOwner() async throws {
        for words in [["operator", "revoke", "ada"], ["account", "deactivate", "ada"]] {
            let server = try await TestServer.start()
            for name in ["ada", "bob"] {
                try await server.administer(["account", "create", name])
                try await server.administer(["operator", "grant", name, "--role", "owner", "--all-brands"])
            }
            let create: AdminRequest = ["account", "create", "eve", "--operator", "owner", "--all-brands"]
            #expect(try await call(create, by: "ada", at: server) == nil)
            let (eve, now) = (try await id("eve", at: server), server.clock.now())
            let open: @Sendable () async throws -> OperatorInvitation? = {
                try await server.context.database.read { try OperatorInvitations.find(eve, now: now, on: $0) }
            }
            #expect(try await open()?.madeBy == id("ada", at: server))
            try await server.administer(AdminRequest(words))
            #expect(try await open() == nil)
        }
    }

    @Test(
        "attack: one owner alone makes no backend that administers, no provider, and no operator of their own choice",
        arguments: [
            ["client", "create", "--name=New", "--confidential", "--scope=admin", "--auth-method=private_key_jwt"],
            ["client", "create", "--name=New", "--confidential", "--scope=login_nonces"],
            ["client", "create", "--name=New", "--confidential", "--scope=scim", "--scope=scim_verified"],
            ["client", "create", "--name=New", "--confidential", "--scope=scim_groups"],
            ["client", "create", "--name=New", "--public", "--first-party"],
            ["provider", "add", "oidc", "--issuer=https://id.example.com", "--client-id=x", "--", "new"],
            ["provider", "remove", "--", "google"],
            ["provider", "add", "repository", "--endpoint=https://id.example.com/verify", "--", "new"],
            ["operator", "grant", "--role=owner", "--all-brands", "--", "maria"],
            ["account", "set-phone", "--phone=+35921234567", "--verified", "--", "bob"],
            ["account", "set-email", "--email=bob@example.com", "--", "bob"],
            ["account", "verify-email", "--", "bob"],
            ["account", "update", "--given-name=Bob", "--", "bob"],
        ])
    func administration(words: [String]) async throws {
        let server = try await start()
        #expect(try await call(AdminRequest(words), by: "ada", at: server) == "pending_approval")
        let waiting = try await waiting(server)
        #expect(waiting.map { $0["command"]?.string?.hasPrefix(words[0]) } == [true])
    }

    @Test("attack: an account that takes the name between the check of a call and its write is not erased")
    func renamed() async throws {
        let server = try await start()
        let maria = try await id("maria", at: server)
        #expect(try await call(erase, by: "ada", at: server) == "pending_approval")
        // The first write takes the request, the second is the command's.
        server.beforeNextWrite {
            server.beforeNextWrite {
                _ = try await WriteCondition.$current.withValue(nil) {
                    try await server.context.database.write {
                        try $0.execute(
                            "UPDATE account_names SET name = 'other' WHERE account_id = $1", [.id(maria)])
                    }
                }
            }
        }
        #expect(try await call(erase, by: "bob", at: server) == "no_change")
        #expect(try await state(server) == .active)
        let ada = try await id("ada", at: server).uuid
        #expect(try await entries("operator.refused", at: server).map { $0["requested_by"]?.string } == [ada])
    }

    @Test("A merge takes two, whichever names they give the accounts; another account on either side is another call")
    func merge() async throws {
        let server = try await start()
        try await server.administer(["account", "create", "guest"])
        try await server.administer(["account", "create", "eve"])
        let words: AdminRequest = ["account", "merge", "--into=maria", "--", "guest"]
        #expect(try await call(words, by: "ada", at: server) == "pending_approval")
        for other in [
            ["account", "merge", "--into=eve", "--", "guest"], ["account", "merge", "--into=guest", "--", "maria"],
        ] { #expect(try await call(AdminRequest(other), by: "bob", at: server) == "pending_approval") }
        let unknown: AdminRequest = ["account", "merge", "--into=none", "--", "guest"]
        #expect(try await call(unknown, by: "bob", at: server) == "not_found")
        let (guest, maria) = (try await id("guest", at: server).uuid, try await id("maria", at: server).uuid)
        let byID = AdminRequest(["account", "merge", "--into=\(maria)", "--account=\(guest)"])
        #expect(try await call(byID, by: "bob", at: server) == nil)
        let shown = try await server.administer(["account", "show", "--account", guest])
        #expect(shown["mergedInto"]?.string == maria)
    }

    @Test("attack: a merge into an account that takes the name after the first call needs another one")
    func renamedRemaining() async throws {
        let server = try await start()
        try await server.administer(["account", "create", "guest"])
        let words: AdminRequest = ["account", "merge", "--into=maria", "--", "guest"]
        #expect(try await call(words, by: "ada", at: server) == "pending_approval")
        try await server.administer(["account", "erase", "maria"])
        try await server.administer(["account", "create", "maria"])
        #expect(try await call(words, by: "bob", at: server) == "pending_approval")
        let own: AdminRequest = ["account", "merge", "--into=ada", "--", "guest"]
        #expect(try await call(own, by: "ada", at: server) == "forbidden_role")
    }

    @Test("A look at what a merge would do takes one, and changes nothing")
    func mergePlan() async throws {
        let server = try await start()
        try await server.administer(["account", "create", "guest"])
        let words: AdminRequest = ["account", "merge", "--into=maria", "--dry-run", "--", "guest"]
        #expect(try await call(words, by: "ada", at: server) == nil)
        #expect(try await call(words, by: "carl", at: server) == "forbidden_role")
        #expect(try await id("guest", at: server).uuid != id("maria", at: server).uuid)
    }

    @Test("A call about an account that is not there does not wait, and of one person a hundred calls wait at most")
    func bounds() async throws {
        let server = try await start()
        #expect(try await call(["account", "erase", "--", "none"], by: "ada", at: server) == "not_found")
        for number in 1...100 {
            let words = AdminRequest(["keys", "rotate", "--", "purpose-\(number)"])
            #expect(try await call(words, by: "ada", at: server) == "pending_approval")
        }
        #expect(try await call(["keys", "rotate", "--", "one-more"], by: "ada", at: server) == "limit")
        #expect(try await waiting(server).count == 100)
        #expect(try await call(["keys", "rotate", "--", "one-more"], by: "bob", at: server) == "pending_approval")
    }

    @Test("What waits of an operator, or about one, ends with the role")
    func ended() async throws {
        let server = try await start()
        #expect(try await call(erase, by: "ada", at: server) == "pending_approval")
        #expect(try await call(["account", "erase", "--", "carl"], by: "bob", at: server) == "pending_approval")
        try await server.administer(["operator", "grant", "ada", "--role", "support"])
        #expect(try await waiting(server).count == 1)
        try await server.administer(["operator", "revoke", "carl"])
        #expect(try await waiting(server).isEmpty)
    }

    @Test("What helps people takes one operator, and so does each command at the command line, or where it is not set")
    func one() async throws {
        let server = try await start()
        #expect(try await call(["account", "deactivate", "maria"], by: "carl", at: server) == nil)
        try await server.administer(["account", "erase", "maria"])
        #expect(try await state(server) == .erased)
        let other = try await TestServer.start()
        for name in ["ada", "maria"] { try await other.administer(["account", "create", name]) }
        try await other.administer(["operator", "grant", "ada", "--role", "owner", "--all-brands"])
        #expect(try await call(erase, by: "ada", at: other) == nil)
    }
}
