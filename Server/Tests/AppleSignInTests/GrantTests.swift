import Core
import Kernel
import Operations
import Store
import Testing
import WalletAuthWire

@testable import Apple
@testable import SignIn

@Suite("Refresh tokens of Apple's", .threat("Sign in with Apple at the server"), .covers("Apple's refresh token"))
struct GrantTests {
    @Test(
        "The refresh token is kept sealed with the link, and a person who erases the account is revoked at Apple within a run"
    )
    func erased() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        let kept = try #require(try await server.grant())
        #expect(kept.isLinked)
        #expect(kept.sealed != nil)
        #expect(!String(decoding: kept.sealed ?? [], as: UTF8.self).contains("refreshToken"))
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
        let form = try #require(try server.apple.forms("/auth/revoke").first)
        #expect(form["token_type_hint"] == "refresh_token")
        #expect(form["client_id"] == TestApple.app)
        #expect(try await server.grant() == nil)
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 1)
    }

    @Test(
        "A revocation that Apple does not take is tried again, later each time, and repeated after a crash without harm"
    )
    func retried() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.administer(["account", "erase", "--account", account.uuid])
        server.apple.setDown(true)
        try await server.flows.maintenance.run()
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 1)
        server.clock.advance(by: .seconds(8))
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 2)
        server.apple.setDown(false)
        // A process that took the row and died: another one takes it when the lease is over.
        server.clock.advance(by: .minutes(1))
        let now = server.clock.now()
        let taken = try await server.context.database.write {
            try AppleGrants.takeToRevoke(now: now, until: now + .minutes(1), limit: 8, on: $0)
        }
        #expect(taken.count == 1)
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
        server.clock.advance(by: .minutes(1))
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
        #expect(try await server.grant() == nil)
    }

    @Test("While Apple is down, a person's twenty apps are one attempt within its lease; the next waits from its end")
    func slowAttempt() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        let record = try #require(try await server.grant())
        let vault = AppleGrantVault(server.context.sealing)
        let token = try #require(vault.open(record)?.first)
        let tokens = Array(repeating: token, count: AppleSettings.mostClients)
        let sealed = try vault.seal(tokens, of: record.digest, brand: record.brandID)
        try await server.context.database.write { try AppleGrants.replaceTokens(of: record, by: sealed, on: $0) }
        try await server.administer(["account", "erase", "--account", account.uuid])
        server.apple.setDown(true, timeout: ProviderHTTP.timeout)
        let beginning = server.clock.now()
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == tokens.count)
        #expect(server.clock.now() - beginning < AppleGrantMaintenance.lease)
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == tokens.count)
    }

    @Test("A revocation is given up after a month of attempts, and that is recorded")
    func abandoned() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.context.database.write {
            _ = try $0.execute(
                "UPDATE apple_grants SET attempts = $1", [.integer(AppleGrantMaintenance.mostAttempts - 1)])
        }
        server.apple.answer("/auth/revoke", 400, #"{"error":"invalid_client"}"#)
        try await server.flows.maintenance.run()
        #expect(try await server.grant() == nil)
        let tail = try await server.administer(
            ["audit", "tail", "--kind", "identity.revocation_abandoned", "--limit", "5"])
        #expect(JSONValue.object(tail).text.contains("apple"))
    }

    @Test("An app that the team deleted at Apple is given up alone: the person's other apps are revoked at once")
    func deletedApp() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        try await server.add { $0.clientIDs = [TestApple.app, TestApple.otherApp] }
        let account = try await server.person()
        try await server.signIn(clientID: TestApple.otherApp)
        server.apple.delete(app: TestApple.app)
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
        #expect(try await server.grant() != nil)
        try await server.context.database.write {
            _ = try $0.execute(
                "UPDATE apple_grants SET attempts = $1", [.integer(AppleGrantMaintenance.mostAttempts - 1)])
        }
        server.clock.advance(by: .hours(1))
        try await server.flows.maintenance.run()
        #expect(try await server.grant() == nil)
        for (kind, app) in [
            ("identity.revocation_abandoned", TestApple.app), ("identity.consent_revoked", TestApple.otherApp),
        ] {
            let tail = try await server.administer(["audit", "tail", "--kind", kind, "--limit", "5"])
            let text = JSONValue.object(tail).text
            let named = [TestApple.app, TestApple.otherApp].filter { text.contains($0) }
            #expect(named == [app])
        }
    }

    @Test("Signing in again before the revocation keeps the new consent: the token that waited is not revoked")
    func returned() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.administer(["account", "erase", "--account", account.uuid])
        _ = try await server.person(username: "ada2")
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
        #expect(try await server.grant()?.isLinked == true)
    }

    @Test(
        "A person who uses the same app in another brand stays signed in there: the operator reads what is not revoked, and why"
    )
    func otherBrand() async throws {
        let server = try await AppleServer.start()
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add { $0.brand = "second" }
        let account = try await server.person()
        let other = try await server.person(brand: "second")
        let erased = await server.administration.execute(["account", "erase", "--account", account.uuid])
        #expect(erased.lines.contains { $0.contains(TestApple.app) && $0.contains("brand second") })
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.isEmpty)
        #expect(try await server.grant() == nil)
        #expect(try await server.grant(brand: "second")?.isLinked == true)
        let tail = try await server.administer(
            ["audit", "tail", "--kind", "identity.revocation_withheld", "--limit", "5"])
        #expect(JSONValue.object(tail).text.contains(TestApple.app))
        // The last account that uses the app has it revoked.
        try await server.administer(["account", "erase", "--account", other.uuid])
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
    }

    @Test("attack: an account in another brand, by another app of the team, keeps no erased account's app at Apple")
    func otherApp() async throws {
        let server = try await AppleServer.start()
        try await server.administer(["brand", "create", "second", "--name", "Second"])
        try await server.add {
            $0.brand = "second"
            $0.clientIDs = [TestApple.otherApp]
            $0.servicesID = nil
        }
        let account = try await server.person()
        _ = try await server.person(brand: "second", clientID: TestApple.otherApp)
        let erased = await server.administration.execute(["account", "erase", "--account", account.uuid])
        #expect(erased.lines.count == 1)
        try await server.flows.maintenance.run()
        #expect(try server.apple.forms("/auth/revoke").map { $0["client_id"] } == [TestApple.app])
        #expect(try await server.grant() == nil)
        #expect(try await server.grant(brand: "second")?.isLinked == true)
    }

    @Test("A person who came by two apps is revoked in both; one of them that is turned off leaves the link as it is")
    func twoApps() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        try await server.add { $0.clientIDs = [TestApple.app, TestApple.otherApp] }
        let account = try await server.person()
        try await server.signIn(clientID: TestApple.otherApp)
        try await server.signIn(clientID: TestApple.otherApp)
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.flows.maintenance.run()
        let revoked = try server.apple.forms("/auth/revoke").compactMap { $0["client_id"] }
        #expect(revoked == [TestApple.app, TestApple.otherApp])

        _ = try await server.person("001.b", username: "grace")
        server.apple.endConsent(of: "001.b")
        try await server.signIn("001.b", clientID: TestApple.otherApp)
        server.clock.advance(by: .hours(24))
        try await server.flows.maintenance.run()
        let grace = try #require(try await server.grant("001.b"))
        #expect(grace.suspendedAt == nil)
        #expect(AppleGrantVault(server.context.sealing).open(grace)?.map(\.clientID) == [TestApple.otherApp])
    }

    @Test("The end of the consent to one of two apps keeps the other's token, and the erasure revokes that")
    func oneOfTwoApps() async throws {
        let server = try await AppleServer.start(addsProvider: false)
        try await server.add { $0.clientIDs = [TestApple.app, TestApple.otherApp] }
        let account = try await server.person()
        try await server.signIn(clientID: TestApple.otherApp)
        server.clock.advance(by: .minutes(1))
        let ended = try server.apple.signed(server.apple.notification("consent-revoked", id: "j1"))
        #expect(try await server.flows.notifications.receive(ended) == .taken)
        #expect(try await server.grant()?.suspendedAt != nil)
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.flows.maintenance.run()
        #expect(try server.apple.forms("/auth/revoke").map { $0["client_id"] } == [TestApple.otherApp])
    }

    @Test("attack: a sign-in from before the end of the consent, but stored after it, is refused and resumes no link")
    func overtaken() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        let before = try #require(try await server.redeem(server.apple.code(nonce: nil)))
        server.clock.advance(by: .seconds(2))
        let claims = server.apple.notification("consent-revoked", id: "j1")
        #expect(try await server.flows.notifications.receive(server.apple.signed(claims)) == .taken)
        // The account that the sign-in reads has the security version of after the end.
        guard case .wrong = try await server.settle(before) else {
            Issue.record("the sign-in went on")
            return
        }
        await #expect(throws: VendorConsentEnded.self) { try await server.keep(before) }
        let suspended = try #require(try await server.grant())
        #expect(suspended.suspendedAt != nil)
        #expect(suspended.sealed == nil)
        #expect(try await !server.events(of: account).contains("identity.resumed"))
        // The next sign-in goes on, and the end of its consent ends its session.
        server.clock.advance(by: .seconds(1))
        let again = try #require(try await server.redeem(server.apple.code(nonce: nil)))
        guard case .linked = try await server.settle(again) else {
            Issue.record("a sign-in from after the end was refused")
            return
        }
        #expect(try await server.events(of: account).contains("identity.resumed"))
        let session = try await server.openSession(of: account, methods: "fed")
        server.clock.advance(by: .seconds(1))
        let next = server.apple.notification("consent-revoked", id: "j2")
        #expect(try await server.flows.notifications.receive(server.apple.signed(next)) == .taken)
        #expect(try await !server.isAlive(session))
    }

    @Test("A token whose key is lost is given up, and that is recorded")
    func keyLost() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.context.database.write {
            _ = try $0.execute("UPDATE apple_grants SET sealed = $1", [.blob([1, 2, 3])])
        }
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.flows.maintenance.run()
        #expect(try await server.grant() == nil)
        let tail = try await server.administer(
            ["audit", "tail", "--kind", "identity.revocation_abandoned", "--limit", "5"])
        #expect(JSONValue.object(tail).text.contains("apple"))
    }

    @Test("A provider that became another team's revokes no token of the former team")
    func otherTeam() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.administer(["account", "erase", "--account", account.uuid])
        try await server.administer(["provider", "remove", "apple"])
        try await server.add { $0.teamID = "TEAM000002" }
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/revoke") == 0)
    }

    @Test("Each living token is asked about once a day at most, whatever Apple answers")
    func asked() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        server.apple.forgetRequests()
        try await server.flows.maintenance.run()
        server.clock.advance(by: .hours(23))
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/token") == 0)
        server.clock.advance(by: .hours(1))
        server.apple.setDown(true)
        for _ in 0..<3 { try await server.flows.maintenance.run() }
        #expect(server.apple.asked("/auth/token") == 1)
        server.apple.setDown(false)
        server.clock.advance(by: .hours(23))
        try await server.flows.maintenance.run()
        #expect(server.apple.asked("/auth/token") == 1)
        server.clock.advance(by: .hours(1))
        for _ in 0..<3 { try await server.flows.maintenance.run() }
        #expect(server.apple.asked("/auth/token") == 2)
        #expect(try await server.grant()?.suspendedAt == nil)
    }

    @Test(
        "A dead token ends the sessions that Apple's word opened, suspends the link and notifies the holder; the next sign-in resumes it"
    )
    func dead() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person(password: "correct horse battery")
        let byApple = try await server.openSession(of: account, methods: "fed otp")
        let byPassword = try await server.openSession(of: account, methods: "pwd")
        server.apple.endConsent(of: "001.a")
        server.clock.advance(by: .hours(24))
        try await server.flows.maintenance.run()
        #expect(try await !server.isAlive(byApple))
        #expect(try await server.isAlive(byPassword))
        #expect(try await server.isLinked())
        let suspended = try #require(try await server.grant())
        #expect(suspended.suspendedAt == server.clock.now())
        #expect(suspended.sealed == nil)
        #expect(try await server.messages(to: account) == ["identity_suspended"])
        #expect(try await server.events(of: account).contains("identity.suspended"))
        // It is asked about no more, and there is one message.
        server.clock.advance(by: .hours(24))
        try await server.flows.maintenance.run()
        #expect(try await server.messages(to: account).count == 1)
        try await server.signIn()
        #expect(try await server.grant()?.suspendedAt == nil)
        #expect(try await server.events(of: account).contains("identity.resumed"))
    }

    @Test("A run asks about and revokes a bounded number; the next ones go on")
    func bounded() async throws {
        let server = try await AppleServer.start()
        _ = try await server.person()
        let now = server.clock.now()
        try await server.context.database.write { connection in
            for number in 0..<100 {
                try AppleGrants.record(
                    AppleGrants.SignIn(
                        brandID: "default", digest: [UInt8](repeating: 0, count: 31) + [UInt8(number)],
                        providerID: "apple", sealed: nil, verifiedAt: now, checkAt: now, revokeAt: now),
                    on: connection)
            }
        }
        try await server.flows.maintenance.run()
        let left = try await server.context.database.read {
            try $0.query("SELECT 1 FROM apple_grants WHERE linked_digest IS NULL", []).count
        }
        #expect(left == 36)
        try await server.flows.maintenance.run()
        try await server.flows.maintenance.run()
        #expect(try await server.context.database.read { try $0.query("SELECT 1 FROM apple_grants", []).count } == 1)
    }

    @Test("Where Apple gave no token, the erasure says what the person has to do themselves")
    func advice() async throws {
        let server = try await AppleServer.start()
        let account = try await server.person()
        try await server.context.database.write { _ = try $0.execute("UPDATE apple_grants SET sealed = NULL", []) }
        let answer = await server.administration.execute(["account", "erase", "--account", account.uuid])
        #expect(answer.lines.contains { $0.contains("Sign in with Apple") })
        let other = try await server.person("001.b", username: "grace")
        let silent = await server.administration.execute(["account", "erase", "--account", other.uuid])
        #expect(silent.lines.count == 1)
        try await server.flows.maintenance.run()
        #expect(server.apple.revoked.count == 1)
    }

    @Test("The link that carries a guest on shows nothing of the refresh token")
    func redacted() async throws {
        let server = try await AppleServer.start()
        let identity = try #require(try await server.redeem(server.apple.code(nonce: nil)))
        #expect("\(identity)".contains("<redacted>"))
        #expect(!"\(identity)".contains("refreshToken"))
        let grant = try AppleGrant(#require(identity.grant))
        let token = AppleGrantToken(clientID: "c", refreshToken: "secret", namespace: "n")
        let settings = AppleSettings(
            base: AppleSettings.appleBase, clientIDs: ["c"], keyID: "K", servicesID: nil, teamID: "T")
        let provider = AppleProvider(settings: settings, keyFile: Array("key".utf8))
        for text in ["\(grant)", "\(token)", "\([token])", "\(server.registration())", "\(provider)"] {
            #expect(text.contains("<redacted>"))
            #expect(!text.contains("secret") && !text.contains("PRIVATE KEY"))
        }
    }
}
