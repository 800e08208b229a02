import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Administration", .covers("account export (GDPR articles 15 and 20)", "DPoP of first-party apps"))
struct AdministrationTests {
    private static func refusal(_ server: TestServer, _ command: AdminRequest) async throws -> String? {
        let answer = await server.flows.administration.execute(command)
        guard let refusal = answer.refusal else { return nil }
        #expect(answer.lines == [refusal.line], "a refusal is one line")
        return refusal.code
    }

    @Test("a confidential client's secret is shown once and never again")
    func secretsOnce() async throws {
        let server = try await TestServer.start()
        let client = try await server.confidentialClient()
        let secret = try #require(client.secret).reveal()
        for command: AdminRequest in [["client", "show", "backend"], ["client", "list"]] {
            let answer = await server.flows.administration.execute(command)
            #expect(answer.status == .done)
            #expect(!answer.json.contains(secret) && !answer.lines.joined().contains(secret))
        }
    }

    @Test("a client id is never given twice, not even after its client was deleted")
    func idsOnce() async throws {
        let server = try await TestServer.start()
        _ = try await server.publicClient()
        let again: AdminRequest = ["client", "create", "app", "--name", "Again", "--first-party"]
        #expect(try await Self.refusal(server, again) == "taken")
        try await server.administer(["client", "delete", "app"])
        #expect(try await Self.refusal(server, again) == "taken")
        #expect(try await Self.refusal(server, ["client", "show", "app"]) == "not_found")
    }

    @Test(
        "A public first-party client requires DPoP unless the operator turns that off, which is reported; no other does"
    )
    func tokenBinding() async throws {
        let server = try await TestServer.start()
        func shown(_ client: TestClient) async -> AdministrationAnswer {
            await server.flows.administration.execute(["client", "show", client.id.rawValue])
        }
        func requires(_ client: TestClient) async throws -> Bool? {
            try JSONValue.object(parsing: Array(await shown(client).json.utf8))["requiresDpop"]?.bool
        }
        let own = try await server.publicClient("own")
        #expect(try await requires(own) == true)
        #expect(await shown(own).lines.allSatisfy { !$0.contains("Warning") })
        let bearer = try await server.bearerClient("bearer")
        #expect(try await requires(bearer) == false)
        #expect(await shown(bearer).lines.last?.contains("walletauth client update bearer --require-dpop") == true)
        for other in [
            try await server.publicClient("relying") { $0.firstParty = false },
            try await server.confidentialClient("backend") { $0.firstParty = true },
        ] {
            #expect(try await requires(other) == false)
            #expect(await shown(other).lines.allSatisfy { !$0.contains("Warning") })
        }
    }

    @Test("a registration that contradicts itself or could not be served is refused and leaves nothing")
    func registrations() async throws {
        let server = try await TestServer.start()
        let faults: [(inout ClientRegistration) -> Void] = [
            { $0.name = "" }, { $0.name = "Evil\u{202E}knab" }, { $0.redirectURIs = ["http://app.example.com/"] },
            { $0.redirectURIs = ["https://app.example.com/*"] }, { $0.redirectURIs = ["javascript:alert(1)"] },
            { $0.redirectURIs = [] }, { $0.brand = "nowhere" }, { $0.authenticationMethod = "client_secret_basic" },
            { $0.authenticationMethod = "guessing" }, { $0.keySet = "{}" }, { $0.scopes = ["two words"] },
            { $0.siteURL = "https://elsewhere.example.com" }, { $0.redeemer = "nobody" },
            { $0.idTokenAlgorithm = "none" }, { $0.accessTokenLifetime = 0 },
            { $0.refreshIdleLifetime = 31_536_000 }, { $0.introspection = true }, { $0.id = "two words" },
            { $0.fapi = true },
        ]
        for (number, fault) in faults.enumerated() {
            var registration = ClientRegistration(name: "App", kind: .public)
            registration.redirectURIs = ["https://app.example.com/callback"]
            fault(&registration)
            let answer = await server.flows.administration.execute { [registration] in
                try await ClientAdministration($0).create(registration)
            }
            #expect(answer.status == .refused, "fault \(number)")
        }
        let answer = try await server.administer(["client", "list"])
        #expect(answer["clients"]?.array?.isEmpty == true)
    }

    @Test("a user name is one person's within a brand, however it is spelled")
    func usernames() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        for spelling in ["ADA", "Ada", "\u{FF41}da"] {
            #expect(try await Self.refusal(server, ["account", "create", spelling]) == "taken")
        }
        try await server.administer(["brand", "create", "other", "--name", "Other"])
        _ = try await server.account("ada") { $0.brand = "other" }
    }

    @Test("A user name comes back as it was typed at its creation, and is found however it is spelled")
    func typedNames() async throws {
        let server = try await TestServer.start()
        for (typed, brand) in [("Ada.Lovelace", "default"), ("\u{FF21}DA", "other")] {
            if brand != "default" {
                try await server.administer(["brand", "create", brand, "--name", "Other"])
            }
            var registration = AccountRegistration(username: typed, password: nil)
            registration.brand = brand
            let created = try await server.administer { try await AccountAdministration($0).create(registration) }
            #expect(created["usernames"]?.array?.map(\.string) == [typed])
            let name = try Username(typed)
            for spelling in [typed, name.rawValue, name.rawValue.uppercased()] {
                let shown = try await server.administer(["account", "show", spelling, "--brand", brand])
                #expect(shown["accountId"] == created["accountId"])
                #expect(shown["usernames"]?.array?.map(\.string) == [typed])
            }
            let exported = try await server.administer([
                "account", "export", name.rawValue, "--brand", brand,
            ])
            #expect(exported["usernames"]?.array?.map(\.string) == [typed])
            let listed = try await server.administer(["account", "list", "--brand", brand])
            #expect(listed["accounts"]?.array?.map { $0.object?["username"]?.string } == [typed])
            try await server.administer(["account", "erase", typed, "--brand", brand])
            let rest = try await server.administer(["account", "list", "--brand", brand])
            #expect(rest["accounts"]?.array?.isEmpty == true)
        }
    }

    @Test("attack: a password is the user name, typed in wide letters")
    func wideNames() async throws {
        let server = try await TestServer.start()
        let account = AccountRegistration(username: "\u{FF21}da.lovelace", password: nil)
        try await server.administer { try await AccountAdministration($0).create(account) }
        let own = AdminRequest(["account", "set-password", "ada.lovelace"], input: "ada.lovelace")
        #expect(try await Self.refusal(server, own) == "password_contains_name")
    }

    @Test("a new password must be long enough, not common, and not the user name")
    func passwords() async throws {
        let server = try await TestServer.start()
        for (password, code) in [
            ("short", "password_too_short"), ("password", "password_too_common"),
            ("ada.lovelace", "password_contains_name"), (String(repeating: "a", count: 257), "password_too_long"),
        ] {
            let request = AdminRequest(["account", "create", "ada.lovelace"], input: password)
            #expect(try await Self.refusal(server, request) == code)
        }
    }

    @Test("addresses that could not be written to, or would break a message's header, are refused")
    func addresses() async throws {
        let server = try await TestServer.start()
        for email in [
            "ada", "@example.com", "ada@", "ada@example.com\r\nBcc: all@example.com", "a b@example.com",
            "ada@example..com", "a..b@example.com", String(repeating: "a", count: 65) + "@example.com",
        ] {
            #expect(try await Self.refusal(server, ["account", "create", "ada", "--email", email]) == "malformed")
        }
        var account = AccountRegistration(username: "ada", password: nil)
        account.email = " a..b@docomo.ne.jp\t"
        let created = try await server.administer { try await AccountAdministration($0).create(account) }
        #expect(created["email"]?.string == "a..b@docomo.ne.jp")
        for phone in ["123", "+0", "0359 2 123", "+35921234567890123"] {
            #expect(try await Self.refusal(server, ["account", "create", "ada", "--phone", phone]) == "malformed")
        }
    }

    @Test("personal data and password hashes are unreadable in the database, also in another person's row")
    func sealedColumns() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account("ada") { $0.email = "ada@example.com" }
        let eve = try await server.account("eve") { $0.email = "eve@example.com" }
        let ids = try (#require(UniqueID(bytes: ada.bytes)), #require(UniqueID(bytes: eve.bytes)))
        let record = try #require(
            try await server.context.database.read { try Accounts.find(ids.0, on: $0) })
        let email = try #require(record.email)
        #expect(!String(decoding: email, as: UTF8.self).contains("ada"))
        #expect(!String(decoding: try #require(record.password), as: UTF8.self).contains("argon2"))
        let vault = AccountVault(server.context.sealing)
        #expect(vault.open(email, .email, of: ids.0) == "ada@example.com")
        #expect(vault.open(email, .email, of: ids.1) == nil)
    }

    @Test("erasing an account leaves no name, no address and no session, and frees the name")
    func erasure() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account { $0.email = "ada@example.com" }
        let tokens = try await app.signIn(account)
        try await server.administer(["account", "erase", "ada"])
        #expect(try await Self.refusal(server, ["account", "show", "ada"]) == "not_found")
        let left = try await server.administer(["account", "show", "--account", account.rawValue])
        #expect(left["email"] == nil)
        #expect(try left.string("state") == "erased")
        let id = try #require(UniqueID(bytes: account.bytes))
        let events = try await server.context.database.read { try SecurityEvents.list(of: id, limit: 10, on: $0) }
        #expect(!events.isEmpty)
        #expect(events.filter { $0.kind != "account.erased" }.allSatisfy { $0.details == "{}" })
        #expect(try await app.refresh(try #require(tokens.refreshToken)).refusal == .invalidGrant)
        _ = try await server.account("ada")
    }

    @Test("an export contains what is known about a person, but neither password nor token")
    func export() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account { $0.email = "ada@example.com" }
        let tokens = try await app.signIn(account)
        let answer = await server.flows.administration.execute(["account", "export", "--account", account.rawValue])
        let document = try JSONValue.object(parsing: Array(answer.json.utf8))
        #expect(try document.string("email") == "ada@example.com")
        #expect(document["sessions"]?.array?.count == 1)
        #expect(!answer.json.contains("argon2"))
        #expect(!answer.json.contains(try #require(tokens.refreshToken).reveal()))
    }

    @Test("an export says for each session whether it goes on, was ended and why, or expired")
    func exportedSessions() async throws {
        let server = try await TestServer.start()
        let app = try await server.bearerClient()
        let account = try await server.account()
        func states() async throws -> [String?] {
            let document = try await server.administer(["account", "export", "--account", account.rawValue])
            return try (document["sessions"]?.array ?? []).compactMap(\.object).map { session in
                [try session.string("state"), try session.string("endedBecause")].compactMap { $0 }
                    .joined(separator: " ")
            }
        }
        let old = try await app.signIn(account)
        _ = try await app.refresh(try #require(old.refreshToken)).tokens()
        // The token that was spent comes again, much later.
        server.clock.advance(by: .minutes(5))
        #expect(try await app.refresh(try #require(old.refreshToken)).refusal == .invalidGrant)
        _ = try await app.signIn(account)
        #expect(try await states() == ["ended refresh_reuse", "active"])
        server.clock.advance(by: .days(400))
        #expect(try await states() == ["ended refresh_reuse", "expired"])
    }

    @Test(
        "an export holds the payments that a person agreed to, by what, the payees that they trust, and their passkeys")
    func exportedConsents() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.trustedBeneficiaries = true }
        let trust = try WalletOperation(
            type: .trustPayee, payee: Payee(name: "Anna Verna", account: "DE02120300000000202051"))
        let trusted = try await shop.required(trust, id: "trust")
        try await shop.agree(to: trusted, id: "trust")
        _ = try await shop.consume(trust, event: trusted, id: "trust").get()
        let refused = try await shop.required(
            TestShop.transfer(12_34, to: "Mallory", account: "DE02100100100006820101"), id: "open")
        let key = try #require(UniqueID(bytes: shop.account.bytes))
        let id = try shop.server.context.random.uniqueID()
        let passkey = PasskeyRecord(
            id: id, credentialID: [UInt8](repeating: 7, count: 32), accountID: key, relyingParty: "auth.example.com",
            publicKey: [1], counter: 0, isBackupEligible: true, isBackedUp: true, transports: ["internal"],
            name: try PasskeyVault(shop.server.context.sealing).seal("Laptop", .name, of: id),
            createdAt: shop.server.clock.now(), coolingUntil: shop.server.clock.now())
        _ = try await shop.server.context.database.write { try Passkeys.add(passkey, limit: 20, on: $0) }

        let document = try await shop.server.administer(["account", "export", "ada"])
        #expect(wrongTimes(in: .object(document)) == [])
        let operations = try #require(document["walletOperations"]?.array).compactMap(\.object)
        #expect(try operations.map { try $0.string("walletOperationId") } == ["trust", "open"])
        #expect(try operations.map { try $0.string("status") } == ["AUTHORIZED", "SCA_REQUIRED"])
        #expect(try operations.last?.string("eventId") == refused.rawValue)
        let content = try #require(operations.last?["operation"]?.object)
        #expect(content["payee"]?.object?["name"]?.string == "Mallory")
        #expect(content["amount"]?.object?["value"]?.string == "1234")
        let steps = operations.first?["steps"]?.array?.compactMap { $0.object?["step"]?.string }
        #expect(steps == ["requested", "challenged", "verified", "authorized"])
        let attempt = operations.first?["attempts"]?.array?.first?.object
        #expect(attempt?["amr"]?.strings == ["sms"])
        #expect(attempt?["from"]?.object?["address"]?.string == "192.0.2.1")
        #expect(operations.allSatisfy { $0["authorization"] == nil })
        let payee = try #require(document["trustedPayees"]?.array?.first?.object)
        #expect(payee["name"]?.string == "Anna Verna")
        #expect(payee["clientId"]?.string == shop.client.id.rawValue)
        let kept = try #require(document["passkeys"]?.array?.first?.object)
        #expect(kept["name"]?.string == "Laptop")
        #expect(kept["synced"] == .bool(true))
        let code = try await shop.code()
        #expect(!JSONValue.object(document).text.contains("\"\(code)\""))
    }

    @Test("an export names an operation whose row does not open, and has all the others")
    func exportedDamage() async throws {
        let shop = try await TestShop.open()
        for id in ["damaged", "whole"] { _ = try await shop.required(TestShop.transfer(), id: id) }
        _ = try await shop.server.context.database.write { connection in
            try connection.execute(
                "UPDATE wallet_operations SET sealed = $1 WHERE operation_id = 'damaged'", [.blob([1, 2, 3])])
        }
        let document = try await shop.server.administer(["account", "export", "ada"])
        #expect(wrongTimes(in: .object(document)) == [])
        let operations = try #require(document["walletOperations"]?.array).compactMap(\.object)
        #expect(operations.map { $0["walletOperationId"]?.string } == ["damaged", "whole"])
        #expect(operations.map { $0["fault"] == nil } == [false, true])
        #expect(operations.last?["status"]?.string == "SCA_REQUIRED")
    }

    @Test("The password of a closed account is refused before it is typed")
    func passwordOfClosed() async throws {
        let server = try await TestServer.start()
        _ = try await server.account()
        let command = try AccountSetPassword.parse(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        let show = try #require(try command.precondition(isTyped: true))
        try command.check(await server.flows.administration.execute(show))
        try await server.administer(["account", "deactivate", "ada"])
        let shown = await server.flows.administration.execute(show)
        let refused = #expect(throws: AdministrationRefusal.self) { try command.check(shown) }
        #expect(refused?.code == "no_change")
    }

    @Test("changing what is as asked already, or is not there, says so and changes nothing")
    func noChange() async throws {
        let server = try await TestServer.start()
        let account = try await server.account(password: nil)
        let reference = AccountReference.id(account.rawValue)
        #expect(
            try await Self.refusal(server, AdminRequest(["account", "reactivate"] + reference.words))
                == "no_change")
        let unreachable = await server.flows.administration.execute(
            AdminRequest(["account", "verify-email"] + reference.words))
        #expect(unreachable.refusal?.code == "no_change")
        #expect(unreachable.lines.first?.contains("set-email --verified") == true, "\(unreachable.lines)")
        #expect(
            try await Self.refusal(server, AdminRequest(["account", "expire-password"] + reference.words))
                == "no_change")
        try await server.administer(AdminRequest(["account", "deactivate"] + reference.words))
        #expect(
            try await Self.refusal(server, AdminRequest(["account", "deactivate"] + reference.words))
                == "no_change")
        #expect(try await Self.refusal(server, ["account", "show", "--account", "not-a-uuid"]) == "malformed")
    }

    @Test("rotating signing keys publishes successors before they sign")
    func signingKeys() async throws {
        let server = try await TestServer.start()
        let before = try await server.administer(["keys", "list"])
        try await server.administer(["keys", "rotate"])
        let after = try await server.administer(["keys", "list"])
        let states = after["keys"]?.array?.compactMap { $0.object }.filter { key in
            (try? key.string("purpose"))??.hasPrefix("signatures") ?? false
        }
        #expect((before["keys"]?.array?.count ?? 0) < (after["keys"]?.array?.count ?? 0))
        #expect(try states?.filter { try $0.string("state") == "next" }.count == SigningAlgorithm.allCases.count)
        #expect(try await Self.refusal(server, ["keys", "rotate"]) == "no_change")
        #expect(try await Self.refusal(server, ["keys", "rotate", "everything"]) == "malformed")
    }

    @Test("a path on the server's machine is absolute, among the words as well as in the input that replaces it")
    func paths() async throws {
        let server = try await TestServer.start()
        for path in ["", "copy", "./copy", "copy\0", server.path("copy") + "\0", "~/copy"] {
            for words in [["database", "backup", "--to"], ["audit", "verify", "--checkpoints"]] {
                let sound = server.path("sound")
                #expect(try await Self.refusal(server, AdminRequest(words + [path])) == "malformed")
                #expect(try await Self.refusal(server, AdminRequest(words + [sound], input: path)) == "malformed")
            }
        }
        try await server.administer(
            AdminRequest(["database", "backup", "--to", "copy"], input: server.path("copy.db")))
    }

    @Test(
        "an account whose user name begins with a dash is found by its words", arguments: ["-ada", "--ada", "---ada"])
    func dashes(name: String) async throws {
        let server = try await TestServer.start()
        _ = try await server.account(name)
        for brand in [nil, "default"] {
            let words = AccountReference.username(name, brand: brand).words
            let shown = try await server.administer(AdminRequest(["account", "show"] + words))
            #expect(shown["usernames"]?.strings == [name])
        }
    }

    @Test("a backup opens with the same master key and holds what was acknowledged")
    func backup() async throws {
        let server = try await TestServer.start()
        _ = try await server.account("ada")
        let client = try await server.publicClient()
        let path = server.path("copy.db")
        try await server.administer(["database", "backup", "--to", path])
        #expect(try await Self.refusal(server, ["database", "backup", "--to", path]) != nil, "never overwritten")
        let restored = try await server.restarted(from: path)
        _ = try await TestApp(client: client.at(restored)).signIn().code()
        try await restored.administer(["database", "check"])
        try await restored.administer(["database", "sweep"])
        try await restored.administer(["database", "migrate"])
    }
}
