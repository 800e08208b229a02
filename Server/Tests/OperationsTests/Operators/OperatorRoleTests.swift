import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("The roles of operators", .covers("roles of operators"))
struct OperatorRoleTests {
    /// An account that signs in with a password, and with the options of `account create`.
    private func create(_ name: String, _ options: [String] = [], at server: TestServer) async throws {
        let words = ["account", "create", name, "--password-stdin"] + options
        try await server.administer(AdminRequest(words, input: "correct horse battery"))
    }

    private func verified(_ name: String) -> [String] { ["--email", "\(name)@example.com", "--email-verified"] }

    /// Makes owners of all brands who sign in with two factors.
    private func make(_ names: String..., at server: TestServer) async throws {
        for name in names {
            try await create(name, verified(name), at: server)
            try await server.administer(["operator", "grant", name, "--role", "owner", "--all-brands"])
        }
    }

    private func refusal(_ command: AdminRequest, at server: TestServer) async -> AdministrationRefusal? {
        await server.flows.administration.execute(command).refusal
    }

    private func operators(_ server: TestServer) async throws -> [JSONObject] {
        try await server.administer(["operator", "list"])["operators"]?.array?.compactMap(\.object) ?? []
    }

    @Test("A role is granted, replaced and revoked, and the audit log has each change")
    func changes() async throws {
        let server = try await TestServer.start()
        try await make("ada", at: server)
        try await server.administer(["account", "create", "bob"])
        let granted = try await server.administer(["operator", "grant", "bob", "--role", "support"])
        #expect(granted["role"] == "support")
        #expect(granted["brand"] == "default")
        #expect(granted["allBrands"] == false)
        try await server.administer(["operator", "grant", "bob", "--role", "auditor", "--all-brands"])
        #expect(try await operators(server).first { $0["usernames"] == ["bob"] }?["role"] == "auditor")
        let same = await refusal(["operator", "grant", "bob", "--role", "auditor", "--all-brands"], at: server)
        #expect(same?.code == "no_change")
        try await server.administer(["operator", "revoke", "bob"])
        #expect(try await operators(server).count == 1)
        #expect(await refusal(["operator", "revoke", "bob"], at: server)?.code == "no_change")
        let tail = try await server.administer(["audit", "tail", "--account", "bob", "--limit", "100"])
        let kinds = tail["entries"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds == ["account.created", "operator.granted", "operator.granted", "operator.revoked"])
    }

    @Test("A grant warns of a person without a second factor, and the refusal of a link for them names the way to one")
    func withoutSecondFactor() async throws {
        let server = try await TestServer.start()
        try await create("bob", at: server)
        try await create("eve", verified("eve"), at: server)
        let grant: AdminRequest = ["operator", "grant", "bob", "--role", "support"]
        let granted = await server.flows.administration.execute(grant)
        #expect(try granted.document()["warnings"] == ["no_second_factor"])
        #expect(granted.lines.last?.contains("add an authenticator app at http") == true, "\(granted.lines)")
        let other = try await server.administer(["operator", "grant", "eve", "--role", "support"])
        #expect(other["warnings"] == nil)
        let states = Set(try await operators(server).compactMap { $0["state"]?.string })
        #expect(states == ["no_second_factor", "active"])
        let list = await server.flows.administration.execute(["operator", "list"])
        #expect(list.lines.contains { $0.hasPrefix("bob") && $0.contains("needs a second factor") }, "\(list.lines)")
        let silent = try await TestServer.start { $0.undeliverableFactors = [.sms] }
        let phone = ["--phone", "+359881234567", "--even-undeliverable"]
        try await create("bob", phone, at: silent)
        #expect(try await silent.administer(grant)["warnings"] == ["no_second_factor"], "nothing sends an SMS")
        let refused = await refusal(["operator", "grant", "eve", "--role", "support", "--link"], at: server)
        #expect(refused?.hint?.contains("`walletauth operator revoke`") == true, "\(refused?.hint ?? "")")
    }

    @Test(
        "An owner who never finished gets a link in place of the role, and is warned of before",
        arguments: [false, true])
    func unfinished(hasPassword: Bool) async throws {
        let server = try await TestServer.start()
        if hasPassword {
            try await create("ada", at: server)
        } else {
            try await server.administer(AdminRequest(["account", "create", "ada"] + verified("ada")))
        }
        let grant: AdminRequest = ["operator", "grant", "ada", "--role", "owner", "--all-brands"]
        let granted = await server.flows.administration.execute(grant)
        let missing = hasPassword ? "no_second_factor" : "no_password"
        #expect(try granted.document()["warnings"] == [.string(missing)])
        #expect(granted.lines.last?.contains("--link") == true, "\(granted.lines)")
        #expect(try await operators(server).map { $0["state"]?.string } == [missing])
        let link = try await server.administer(
            ["operator", "grant", "ada", "--role", "owner", "--all-brands", "--link"])
        #expect(link["link"]?.string?.contains("/admin/welcome?token=") == true)
        #expect(try await operators(server).map { $0["state"]?.string } == ["invited"], "the role waits")
        let tail = try await server.administer(["audit", "tail", "--account", "ada", "--limit", "100"])
        let kinds = tail["entries"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds.suffix(2) == ["operator.revoked", "operator.invited"], "\(kinds)")
    }

    @Test("An owner who cannot sign in does not make another one dispensable, and is not held in office")
    func unusableOwner() async throws {
        let server = try await TestServer.start()
        try await make("ada", at: server)
        for (name, options) in [("bob", []), ("eve", verified("eve"))] {
            try await server.administer(AdminRequest(["account", "create", name] + options))
            try await server.administer(["operator", "grant", name, "--role", "owner", "--all-brands"])
        }
        #expect(await refusal(["operator", "revoke", "ada"], at: server)?.code == "last_owner")
        try await server.administer(["operator", "revoke", "bob"])
        try await server.administer(
            AdminRequest(["account", "set-password", "eve", "--password-stdin"], input: "correct horse battery"))
        try await server.administer(["operator", "revoke", "ada"])
        #expect(await refusal(["operator", "revoke", "eve"], at: server)?.code == "last_owner")
        let other = try await TestServer.start()
        try await other.administer(["account", "create", "bob"])
        try await other.administer(["operator", "grant", "bob", "--role", "owner", "--all-brands"])
        try await other.administer(["operator", "revoke", "bob"])
        #expect(try await operators(other).isEmpty)
    }

    @Test(
        "A grant warns of a person who has only what no operator signs in with: a secret question, a former domain's passkey",
        arguments: [
            """
            INSERT INTO secret_questions (account_id, question, answer, asked, created_at)
            SELECT account_id, 'first_pet', zeroblob(1), 0, 0 FROM account_names WHERE name = 'bob'
            """,
            """
            INSERT INTO passkeys (id, credential_id, account_id, relying_party, public_key, counter, backup_eligible,
                backed_up, transports, name, created_at, cooling_until)
            SELECT zeroblob(16), zeroblob(16), account_id, 'former.example.com', zeroblob(1), 0, 0, 0, '', zeroblob(1), 0, 0
            FROM account_names WHERE name = 'bob'
            """,
        ])
    func uselessFactor(statement: String) async throws {
        let server = try await TestServer.start()
        try await server.administer(["brand", "update", "default", "--secret-questions", "on"])
        try await create("bob", at: server)
        _ = try await server.context.database.write { try $0.execute(statement, []) }
        let granted = try await server.administer(["operator", "grant", "bob", "--role", "support"])
        #expect(granted["warnings"] == ["no_second_factor"])
        #expect(try await operators(server).map { $0["state"]?.string } == ["no_second_factor"])
    }

    @Test("A role or brand that does not exist is refused by its name, and so are two reaches at once")
    func malformed() async throws {
        let server = try await TestServer.start()
        try await server.administer(["account", "create", "bob"])
        let role = await refusal(["operator", "grant", "bob", "--role", "admin"], at: server)
        #expect(role?.code == "malformed")
        #expect(role?.message.contains("owner, support, auditor, developer") == true)
        let brand = await refusal(
            ["operator", "grant", "bob", "--role", "support", "--for-brand", "none"], at: server)
        #expect(brand?.code == "not_found")
        let both = await refusal(
            ["operator", "grant", "bob", "--role", "support", "--for-brand", "default", "--all-brands"], at: server)
        #expect(both?.code == "malformed")
        #expect(try await operators(server).isEmpty)
    }

    @Test(
        "The last owner of all brands stays: no command revokes or lowers the role, and none closes or erases the account",
        arguments: [
            ["operator", "revoke", "ada"], ["operator", "grant", "ada", "--role", "support", "--all-brands"],
            ["operator", "grant", "ada", "--role", "owner"], ["account", "deactivate", "ada"],
            ["account", "erase", "ada"],
        ])
    func lastOwner(words: [String]) async throws {
        let server = try await TestServer.start()
        try await make("ada", at: server)
        try await create("bob", verified("bob"), at: server)
        try await server.administer(["operator", "grant", "bob", "--role", "owner"])
        let refused = await refusal(AdminRequest(words), at: server)
        #expect(refused?.code == "last_owner")
        #expect(refused?.hint?.contains("--role owner --all-brands") == true)
        // An owner whose account is deactivated is none.
        try await server.administer(["operator", "grant", "bob", "--role", "owner", "--all-brands"])
        try await server.administer(["account", "deactivate", "bob"])
        #expect(await refusal(AdminRequest(words), at: server)?.code == "last_owner")
        try await server.administer(["account", "reactivate", "bob"])
        try await server.administer(AdminRequest(words))
    }

    @Test(
        "attack: of two owners whose roles are revoked at once, or whose accounts are deactivated, one stays",
        arguments: Deployment.allCases)
    func race(deployment: Deployment) async throws {
        try await deployment.run { one, other in
            try await make("ada", "bob", at: one)
            for words in [["operator", "revoke"], ["account", "deactivate"]] {
                for _ in 0..<20 {
                    async let mine = one.flows.administration.execute(AdminRequest(words + ["ada"]))
                    async let theirs = other.flows.administration.execute(AdminRequest(words + ["bob"]))
                    let answers = await [mine, theirs]
                    #expect(answers.count { $0.status == .done } == 1)
                    #expect(answers.compactMap { $0.refusal?.code } == ["last_owner"])
                    let lost = answers[0].status == .done ? "ada" : "bob"
                    let back =
                        words[0] == "account"
                        ? ["account", "reactivate", lost]
                        : ["operator", "grant", lost, "--role", "owner", "--all-brands"]
                    try await one.administer(AdminRequest(back))
                }
            }
        }
    }

    @Test("A deactivated account has no use of its role, and an erased one no longer has it")
    func ended() async throws {
        let server = try await TestServer.start()
        try await make("ada", "bob", at: server)
        let bob = try await server.context.database.read { try Accounts.find(named: "bob", brand: "default", on: $0) }
        let id = try #require(bob?.id)
        try await server.administer(["account", "deactivate", "bob"])
        #expect(try await server.context.database.read { try Operators.active(id, on: $0) } == nil)
        #expect(try await operators(server).last { $0["accountId"]?.string == id.uuid }?["state"] == "deactivated")
        #expect(
            await refusal(["operator", "grant", "bob", "--role", "support"], at: server)?.code == "no_change")
        try await server.administer(["account", "erase", "bob"])
        #expect(try await server.context.database.read { try Operators.find(id, on: $0) } == nil)
    }

    @Test("A link is refused to an account with a usable role or an authenticator app, and comes with no password")
    func links() async throws {
        let server = try await TestServer.start()
        try await make("ada", at: server)
        let ada = await refusal(["operator", "grant", "ada", "--role", "owner", "--all-brands", "--link"], at: server)
        #expect(ada?.code == "no_change")
        #expect(ada?.message.contains("has a role already") == true)
        let create = ["account", "create", "bob", "--operator"]
        let none = await refusal(AdminRequest(create + ["support", "--for-brand", "none"]), at: server)
        #expect(none?.code == "not_found")
        #expect(await refusal(AdminRequest(create + ["admin"]), at: server)?.code == "malformed")
        let password = AdminRequest(create + ["support", "--password-stdin"], input: "correct horse battery")
        #expect(await refusal(password, at: server)?.code == "malformed")
        let reach = await refusal(["account", "create", "bob", "--all-brands"], at: server)
        #expect(reach?.message.contains("need --operator") == true)
        #expect(try await server.administer(["account", "list"])["accounts"]?.array?.count == 1)

        let made = try await server.administer(AdminRequest(create + ["support"]))
        #expect(made["link"]?.string?.contains("/admin/welcome?token=") == true)
        #expect(try await operators(server).map { $0["state"]?.string } == ["active", "invited"])
        _ = try await server.context.database.write { connection in
            try connection.execute(
                """
                INSERT INTO totp_secrets (account_id, state, sealed, session_id, last_step, created_at, expires_at)
                SELECT account_id, 'active', zeroblob(1), NULL, 0, 0, NULL FROM account_names WHERE name = 'bob'
                """, [])
        }
        let bob = await refusal(["operator", "grant", "bob", "--role", "support", "--link"], at: server)
        #expect(bob?.message.contains("has an authenticator app") == true)
        try await server.administer(["operator", "revoke", "bob"])
        #expect(await refusal(["operator", "revoke", "bob"], at: server)?.code == "no_change")
    }

    @Test("attack: a restored copy has no link that still works", .threat("Restored databases"))
    func restored() async throws {
        let server = try await TestServer.start()
        try await server.administer(["account", "create", "bob", "--operator", "owner", "--all-brands"])
        let count = "SELECT COUNT(*) AS n FROM operator_invitations"
        #expect(try await server.context.database.read { try $0.row(count, [])?.integer("n") } == 1)
        let copy = try await server.backup()
        server.clock.advance(by: .minutes(1))
        let restored = try await server.restarted(epoch: 1, from: copy)
        #expect(try await restored.context.database.read { try $0.row(count, [])?.integer("n") } == 0)
    }

    @Test("attack: only an owner of all brands makes a person who administers the server, with the account or later")
    func target() throws {
        let create = try AccountCreate.parse(["account", "create", "eve", "--operator", "support"])
        guard case .administration(nil) = create.target else {
            Issue.record("the rights of operators are not what the command changes")
            return
        }
        guard
            case .brand("default") = try AccountCreate.parse(["account", "create", "eve", "--brand", "default"]).target
        else {
            Issue.record("an account without a role is its brand's")
            return
        }
    }
}
