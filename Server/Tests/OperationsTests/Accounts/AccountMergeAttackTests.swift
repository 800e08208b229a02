import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "What a merge of two accounts must not do", .covers("two accounts of one person become one (account merge)"),
    .threat("What an operator closes"))
struct AccountMergeAttackTests {
    @Test(
        "attack: a merge opens no closed account and touches no operator's, on either side; what is in the way is named",
        arguments: ["guest", "ada"])
    func refused(name: String) async throws {
        let two = try await TwoAccounts.start()
        let id = (name == "guest" ? two.guest : two.ada).rawValue
        func check(_ words: [String], _ sentence: String, undone: [String]) async throws {
            try await two.server.administer(AdminRequest(words))
            for merge in [TwoAccounts.merge, AdminRequest(TwoAccounts.merge.words + ["--dry-run"])] {
                let refusal = try await two.refusal(merge)
                #expect(refusal?.code == "merge_conflict")
                #expect(refusal?.line.contains(sentence) == true, "\(refusal?.line ?? "merged")")
            }
            try await two.server.administer(AdminRequest(undone))
        }
        try await check(
            ["account", "deactivate", name], "Account \(id) is deactivated.", undone: ["account", "reactivate", name])
        try await check(
            ["operator", "grant", name, "--role", "support"], "Account \(id) is an operator's.",
            undone: ["operator", "revoke", name])
        let until = two.server.clock.now() + .hours(1)
        try await two.server.context.database.write {
            _ = try $0.execute(
                "UPDATE accounts SET cooling_until = $1 WHERE id = (SELECT account_id FROM account_names WHERE name = $2)",
                [.time(until), .text(name)])
        }
        #expect(try await two.refusal()?.line.contains("its restrictions end at \(until.text)") == true)
        two.server.clock.advance(by: .hours(2))
        #expect(try await two.refusal() == nil)
    }

    @Test("Neither an account and itself are merged, nor accounts of two brands, nor one that has ended")
    func impossible() async throws {
        let two = try await TwoAccounts.start()
        #expect(try await two.refusal(["account", "merge", "ada", "--into", "ada"])?.code == "merge_conflict")
        #expect(try await two.refusal(["account", "merge", "guest", "--into", "none"])?.code == "not_found")
        try await two.server.administer(["brand", "create", "other", "--name", "Other"])
        let eve = try await two.server.account("eve") { $0.brand = "other" }
        for id in [eve.rawValue, "8c5a8b52-5d0e-4c3e-9d5b-2f6d2b0c9a11"] {
            // Whether another brand has it is not said.
            let refusal = try await two.refusal(["account", "merge", "guest", "--into", id])
            #expect(refusal?.line.hasPrefix("There is no account \(id) in the brand default.") == true)
        }
        try await two.server.administer(TwoAccounts.merge)
        let again = AdminRequest(["account", "merge", "--into=ada", "--account=\(two.guest.rawValue)"])
        #expect(try await two.refusal(again)?.line.contains("was merged into \(two.ada.rawValue).") == true)
    }

    @Test("An account that a directory knows by its id is not merged away, and can be the one that remains")
    func directory() async throws {
        let two = try await TwoAccounts.start()
        _ = try await two.server.confidentialClient("directory")
        let guest = try #require(UniqueID(bytes: two.guest.bytes))
        try await two.server.context.database.write {
            try ProvisionedTable.accounts.set(.init(externalID: "7", madeAt: nil), of: guest, by: "directory", on: $0)
        }
        #expect(try await two.refusal()?.line.contains("A directory (directory) knows") == true)
        #expect(try await two.refusal(["account", "merge", "ada", "--into", "guest"]) == nil)
    }

    @Test("attack: an employment that a directory gave does not move out of its reach; others move")
    func directorysEmployments() async throws {
        let two = try await TwoAccounts.start()
        for (client, scopes) in [("okta", ["scim", "scim_groups"]), ("till", ["scim"])] {
            _ = try await two.server.confidentialClient(client) { $0.scopes = scopes }
        }
        for (merchant, client) in [("bakery", "okta"), ("dairy", "till")] {
            try await two.server.administer(["merchant", "create", merchant, "--name", merchant])
            try await two.server.administer(["merchant", "install-client", merchant, "--client", client])
            try await two.server.administer(["merchant", "add-employee", merchant, "guest"])
        }
        let refusal = try await two.refusal()
        #expect(refusal?.code == "merge_conflict")
        #expect(refusal?.line.contains("A directory (okta) says who works for bakery: let it remove") == true)
        #expect(refusal?.line.contains("dairy") == false)
        try await two.server.administer(["merchant", "remove-employee", "bakery", "guest"])
        #expect(try await two.refusal() == nil)
        let ada = try #require(UniqueID(bytes: two.ada.bytes))
        let employers = try await two.server.context.database.read { try Merchants.employers(of: ada, on: $0) }
        #expect(employers == ["dairy"])
    }

    @Test("attack: no secret of the former account opens the remaining one")
    func secrets() async throws {
        let two = try await TwoAccounts.start()
        _ = try await two.server.account("old", password: "another phrase 8")
        let (login, password) = (try #require(try await two.server.accountID("old")), "another phrase 8")
        let tokens = try await two.app.client.signIn(login, proof: two.app.key)
        let before = try await two.record(of: two.ada)
        try await two.server.administer(["account", "merge", "old", "--into", "ada"])
        let after = try await two.record(of: two.ada)
        #expect(after == before)
        for name in ["old", "ada"] {
            #expect(try await two.app.signIn(name, password: password).errorCode == "invalid_credentials")
        }
        let refused = try await two.app.client.refresh(try #require(tokens.refreshToken), proof: two.app.key)
        #expect(refused.refusal == .invalidGrant)
    }

    @Test("attack: a sign-in that began before the merge opens no session of either account after it")
    func signInMeanwhile() async throws {
        let two = try await TwoAccounts.start()
        let code = try await two.app.signIn(at: two.provider).code()
        two.server.beforeNextWrite { try await two.server.administer(TwoAccounts.merge) }
        #expect(try await two.app.redeem(code).refusal == .invalidGrant)
        let sessions = try await two.server.context.database.read {
            try $0.query("SELECT id FROM sessions WHERE revoked_at IS NULL", []).count
        }
        #expect(sessions == 0)
    }

    @Test(
        "Of a merge and what closes, opens or erases one of the accounts at the same moment, the later one sees the earlier",
        arguments: [
            ["account", "erase", "guest"], ["account", "erase", "ada"], ["account", "deactivate", "ada"],
            ["operator", "grant", "ada", "--role", "support"], ["account", "merge", "ada", "--into", "guest"],
        ])
    func meanwhile(words: [String]) async throws {
        let two = try await TwoAccounts.start()
        two.server.beforeNextWrite { try await two.server.administer(AdminRequest(words)) }
        #expect(try await two.refusal() != nil)
        let record = try await two.record(of: two.guest)
        #expect(record.mergedInto == nil)
        #expect(try await two.recipients("accounts_merged").count <= 1)
    }

    @Test("A merge whose commit failed reads both accounts again")
    func repeated() async throws {
        let two = try await TwoAccounts.start()
        two.server.undoNextWrite { try await two.server.administer(["account", "deactivate", "ada"]) }
        #expect(try await two.refusal()?.code == "merge_conflict")
        #expect(try await two.record(of: two.guest).state == .active)
        try await two.server.administer(["account", "reactivate", "ada"])
        two.server.undoNextWrite {}
        #expect(try await two.refusal() == nil)
        #expect(try await two.server.rows(of: "security_events WHERE kind = 'account.merged'") == 1)
    }
}
