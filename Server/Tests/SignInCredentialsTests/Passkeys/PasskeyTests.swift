import Core
import FlowSupport
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Passkeys: added, used, and taken away", .covers("passkeys, listed for the holder's app and for operators"))
struct PasskeyTests {
    private func claims(
        _ outcome: AuthorizationAnswer.Outcome, _ client: TestClient
    ) async throws -> AccessTokenClaims {
        try await client.server.claims(of: client.redeem(outcome.code()).tokens())
    }

    @Test(
        "A passkey signs in without a name, and is two factors after a day", arguments: PasskeyAlgorithm.allCases)
    func signIn(algorithm: PasskeyAlgorithm) async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey("ada", algorithm)
        let client = try await server.bearerClient()
        let sent = try await server.codesSent()
        let claims = try await claims(TestBrowser(server).signIn(to: client, with: passkey), client)
        #expect(claims.amr == ["pop", "uv"])
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        let account = try await server.accountID()
        #expect(claims.subject == account?.rawValue)
        #expect(try await server.codesSent() == sent, "nothing else was asked for")
    }

    @Test("In its cooling period it is one factor: a browser that is not known is asked for a code as well")
    func cooling() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        var passkey = try SoftwarePasskey()
        #expect(try await TestBrowser(server).add(&passkey).notice == .passkeyAdded)
        let client = try await server.bearerClient()
        let browser = TestBrowser(server)
        server.clock.advance(by: .seconds(31))
        let asked = try await browser.signIn(to: client, with: passkey).page()
        guard case .secondFactor = asked.step else {
            Issue.record("no second factor: \(asked.step)")
            return
        }
        let outcome = try await browser.submit(asked, .answerFactor(Password(server.sentCode())))
        let claims = try await claims(outcome, client)
        #expect(claims.amr == ["pop", "otp"])
        #expect(claims.acr == AuthenticationStrength.singleFactor)
    }

    @Test("attack: a registration without a fresh second category is asked for one, and adds nothing before")
    func freshSecondCategory() async throws {
        let server = try await TestServer.start()
        // By the password alone, where the account has nothing else.
        _ = try await server.account("bare")
        let bare = TestBrowser(server)
        let overview = try await bare.typePassword(on: bare.openAccount().page(), "bare").accountPage()
        let refused = try await bare.press(.managePasskeys, on: overview).page()
        #expect(refused.purpose == .accountChange)
        let again = try await bare.typePassword(on: refused, "bare").accountPage()
        #expect(again.notice == .strongerSignInNeeded)
        #expect(again.passkeys == nil)

        // By a sign-in of two factors that is no longer fresh.
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let page = try await browser.openPasskeys()
        let creation = try #require(page.passkeys?.creation)
        let passkey = try SoftwarePasskey()
        server.clock.advance(by: .minutes(5))
        let made = try passkey.register(creation.challenge, on: .own)
        let asked = try await browser.press(.changePasskeys(.add(made, name: "Laptop")), on: page).page()
        #expect(asked.purpose == .accountChange)
        // By all of the browser's cookies, without the page that the sign-in was answered with.
        let copied = TestBrowser(server)
        copied.cookies = browser.cookies
        let opened = try await copied.openAccount().accountPage()
        _ = try await copied.press(.managePasskeys, on: opened).page()
        #expect(try await server.rows(of: "passkeys") == 0)
    }

    @Test(
        "An app can list its account's passkeys: name, when added and last used, end of the cooling period; no other domain's"
    )
    func factors() async throws {
        let server = try await TestServer.start()
        let id = try await server.reachableAccount()
        var passkey = try SoftwarePasskey()
        #expect(try await TestBrowser(server).add(&passkey, called: "Laptop").notice == .passkeyAdded)
        let client = try await server.bearerClient()
        func told() async throws -> [AccountFactorList.Passkey] {
            let device = try await TestDevice.signedIn(id, client)
            return try await device.list(factors: ()).factors.compactMap(\.passkey)
        }
        let fresh = try #require(try await told().first)
        #expect(fresh.name == "Laptop")
        #expect(fresh.lastUsedAt == nil)
        #expect(
            fresh.coolingUntil?.secondsSince1970
                == fresh.createdAt.secondsSince1970 + server.context.settings.devices.coolingPeriod.wholeSeconds)
        server.clock.advance(by: .hours(24))
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).redirect()
        let now = server.clock.now().seconds
        let used = try #require(try await told().first)
        #expect(used.lastUsedAt == NumericDate(clamping: now))
        #expect(used.coolingUntil == nil)
        _ = try await server.context.database.write {
            try $0.execute("UPDATE passkeys SET relying_party = 'old.example.com'", [])
        }
        #expect(try await told().isEmpty)
    }

    @Test("Passkeys that are added without a name have different ones")
    func unnamed() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        var first = try SoftwarePasskey()
        var page = try await browser.add(&first, called: "")
        for _ in 1...2 {
            var passkey = try SoftwarePasskey()
            let creation = try #require(page.passkeys?.creation)
            passkey.userHandle = creation.userHandle
            let made = try passkey.register(creation.challenge, on: .own)
            page = try await browser.press(.changePasskeys(.add(made, name: "")), on: page).accountPage()
        }
        let names = try #require(page.passkeys?.passkeys.map(\.name))
        #expect(names.sorted() == ["Passkey", "Passkey 2", "Passkey 3"])
    }

    @Test("The holder is notified of what is added and removed, and chooses the passkeys' names")
    func holder() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        var passkey = try SoftwarePasskey()
        let browser = TestBrowser(server)
        var page = try await browser.add(&passkey, called: "")
        #expect(page.notice == .passkeyAdded)
        let entry = try #require(page.passkeys?.passkeys.first)
        #expect(entry.name == "Passkey")
        #expect(entry.lastUsedAt == nil)
        #expect(page.passkeys?.creation?.exclude.map(\.id) == [passkey.credentialID])
        page = try await browser.press(.changePasskeys(.rename(id: entry.id, name: " ")), on: page).accountPage()
        #expect(page.notice == .unusablePasskeyName)
        page = try await browser.press(.changePasskeys(.rename(id: entry.id, name: "Phone")), on: page).accountPage()
        #expect(page.notice == .passkeyRenamed)
        #expect(page.passkeys?.passkeys.map(\.name) == ["Phone"])
        let unknown = try await browser.press(.askToRemovePasskey(id: "none"), on: page).accountPage()
        #expect(unknown.notice == .noSuchPasskey)
        let question = try await browser.press(.askToRemovePasskey(id: entry.id), on: page).accountPage()
        guard case .removal(.passkey(entry.id, name: "Phone")) = question.step else {
            Issue.record("\(question.step)")
            return
        }
        server.clock.advance(by: .milliseconds(1))
        page = try await browser.press(.changePasskeys(.remove(id: entry.id)), on: question).accountPage()
        #expect(page.notice == .passkeyRemoved)
        #expect(page.passkeys?.passkeys.isEmpty == true)
        let told = try await server.messages().filter { $0.kind.hasPrefix("passkey_") }
        #expect(told.map(\.kind) == ["passkey_removed", "passkey_added"])
        #expect(try told.map { try $0.content.string("device") } == ["Phone", "Passkey"])
        let client = try await server.bearerClient()
        let refused = try await TestBrowser(server).signIn(to: client, with: passkey).page()
        #expect(refused.notice == .passkeyRefused)
    }

    @Test("A removal ends what passkeys opened, but for the page that asks, and leaves other sessions alone")
    func removal() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.bearerClient()
        let byPasskey = try await client.redeem(TestBrowser(server).signIn(to: client, with: passkey).code()).tokens()
        let account = try #require(try await server.accountID())
        let record = try #require(UniqueID(bytes: account.bytes))
        let version = try await server.context.database.read { try Accounts.find(record, on: $0)?.securityVersion }
        #expect(version == 1)
        let byPassword = try await client.signIn(account)

        // The passkey itself is what the page is opened by.
        let browser = TestBrowser(server)
        let asked = try await browser.openAccount().page()
        let options = try #require(asked.passkey)
        let overview = try await browser.press(
            .usePasskey(passkey.use(options.challenge, on: .own)), on: asked
        ).accountPage()
        var page = try await browser.press(.managePasskeys, on: overview).accountPage()
        let id = try #require(page.passkeys?.passkeys.first?.id)
        page = try await browser.press(.changePasskeys(.remove(id: id)), on: page).accountPage()
        #expect(page.notice == .passkeyRemoved)
        #expect(try await browser.openAccount().accountPage().overview?.passkeys == 0)
        let first = try #require(byPasskey.refreshToken)
        let second = try #require(byPassword.refreshToken)
        #expect(try await client.refresh(first).refusal != nil)
        _ = try await client.refresh(second).tokens()
    }

    @Test("The last way in is not taken away")
    func lastWayIn() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        try await server.context.database.write {
            _ = try $0.execute(
                "UPDATE accounts SET password = NULL, password_changed_at = NULL, password_state = 'none'", [])
        }
        let browser = TestBrowser(server)
        let asked = try await browser.openAccount().page()
        let options = try #require(asked.passkey)
        let overview = try await browser.press(
            .usePasskey(passkey.use(options.challenge, on: .own)), on: asked
        ).accountPage()
        let page = try await browser.press(.managePasskeys, on: overview).accountPage()
        let id = try #require(page.passkeys?.passkeys.first?.id)
        let kept = try await browser.press(.changePasskeys(.remove(id: id)), on: page).accountPage()
        #expect(kept.notice == .lastWayIn)
        #expect(kept.passkeys?.passkeys.count == 1)
        let shown = try await server.administer(["account", "show", "ada"])
        #expect(shown["hindrances"] == nil, "the passkey is a way in")
    }

    @Test("A passkey is the last way in once the provider of the account's identity is removed")
    func lastWayInBesideRemovedProvider() async throws {
        let provider = TestProvider()
        let server = try await TestServer.start(providers: provider.http)
        try await server.add(provider, trustsEmail: true)
        let app = TestApp(client: try await server.publicClient())
        let guest = try await app.signIn(at: provider) {
            $0.set("email", "ada@example.com")
            $0["email_verified"] = .bool(true)
        }.guest()
        _ = try await app.createAccount(guest)
        let id = try server.context.random.uniqueID()
        func hasWayIn() async throws -> Bool {
            let removal = PasskeyRemoval(clock: server.clock, party: server.context.passkeyParty)
            let account = try #require(try await server.accountID())
            return try await server.context.database.read {
                try removal.hasWayIn(try #require(UniqueID(bytes: account.bytes)), without: id, on: $0)
            }
        }
        #expect(try await hasWayIn())
        try await server.administer(["provider", "remove", "example"])
        #expect(try await !hasWayIn())
    }

    @Test("An account has at most twenty")
    func limit() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let record = try #require(UniqueID(bytes: account.bytes))
        func add(_ numbers: Range<Int>) async throws {
            try await server.context.database.write { connection in
                for number in numbers {
                    let id = try server.context.random.uniqueID()
                    let outcome = try Passkeys.add(
                        PasskeyRecord(
                            id: id, credentialID: [UInt8](repeating: UInt8(number), count: 16), accountID: record,
                            relyingParty: "auth.example.com", publicKey: [], counter: 0, isBackupEligible: false,
                            isBackedUp: false, transports: [],
                            name: try PasskeyVault(server.context.sealing).seal("\(number)", .name, of: id),
                            createdAt: server.clock.now(), coolingUntil: server.clock.now()),
                        limit: PasskeyOverview.limit, on: connection)
                    #expect(outcome == .added)
                }
            }
        }
        try await add(1..<20)
        let browser = TestBrowser(server)
        let page = try await browser.openPasskeys()
        let creation = try #require(page.passkeys?.creation)
        // The twentieth is added on another page first.
        try await add(20..<21)
        let made = try SoftwarePasskey().register(creation.challenge, on: .own)
        let full = try await browser.press(.changePasskeys(.add(made, name: "Laptop")), on: page).accountPage()
        #expect(full.notice == .passkeyNotTaken)
        #expect(full.passkeys?.passkeys.count == 20)
        #expect(full.passkeys?.creation == nil)
    }

    @Test("A wallet that was deactivated, and one that was erased, are opened by no passkey")
    func closed() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.bearerClient()
        try await server.administer(["account", "deactivate", "ada"])
        let closed = try await TestBrowser(server).signIn(to: client, with: passkey).page()
        #expect(closed.notice == .walletDeactivated)
        try await server.administer(["account", "erase", "ada"])
        let gone = try await TestBrowser(server).signIn(to: client, with: passkey).page()
        #expect(gone.notice == .passkeyRefused)
        #expect(try await server.rows(of: "passkeys") == 0)
    }

    @Test("A password that has to be changed does not stand in the way of a passkey, and is not set by one")
    func expiredPassword() async throws {
        let server = try await TestServer.start()
        let passkey = try await server.settledPasskey()
        let client = try await server.bearerClient()
        try await server.context.database.write {
            _ = try $0.execute("UPDATE accounts SET password_state = 'expired'", [])
        }
        let account = try #require(try await server.accountID())
        let before = try await server.record(of: account)
        _ = try await TestBrowser(server).signIn(to: client, with: passkey).code()
        let after = try await server.record(of: account)
        #expect(after?.password == before?.password)
        #expect(after?.passwordState == .expired)
    }

    @Test("attack: a mailbox that was taken over recovers no account that has a passkey", .threat("Passkey attacks"))
    func recovery() async throws {
        let server = try await TestServer.start()
        _ = try await server.settledPasskey()
        let page = try await recovering(by: server.bearerClient(), at: server)
        // The mailbox's holder learns the way that there is: the page has it, and no device.
        #expect(page.notice == .recoveryUnavailable(WaysBesideMailbox(hasPasskey: true, hasDevice: false)))
        #expect(page.passkey != nil)
        let told = try await server.administer(["account", "explain", "ada"])
        let reasons = told["refusals"]?.array?.compactMap { $0.object?["reason"]?.string } ?? []
        #expect(reasons.contains { $0.contains("the account has a passkey") }, "\(reasons)")
    }

    @Test(
        "attack: a newcomer's passkey, which never had to cool, protects from its mailbox at once, and as others do after a restore",
        .threat("Passkey attacks"))
    func recoveryOfNewcomer() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        var passkey = try SoftwarePasskey()
        #expect(try await TestBrowser(server).add(&passkey).notice == .passkeyAdded)
        func coolUntil(_ end: String) async throws {
            _ = try await server.context.database.write {
                try $0.execute("UPDATE passkeys SET cooling_until = \(end)", [])
            }
        }
        let client = try await server.bearerClient()
        let unavailable = SignInPage.Notice.recoveryUnavailable(WaysBesideMailbox(hasPasskey: true, hasDevice: false))
        try await coolUntil("created_at")
        #expect(try await recovering(by: client, at: server).notice == unavailable)
        server.clock.advance(by: .minutes(2))
        try await coolUntil("created_at + 1")
        #expect(try await recovering(by: client, at: server).notice != unavailable)
    }

    /// The page after the right code of a recovery.
    private func recovering(by client: TestClient, at server: TestServer) async throws -> SignInPage {
        let browser = TestBrowser(server)
        var page = try await browser.submit(browser.open(client.request()).page(), .forgotPassword()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let message = try await server.messages().first { $0.kind == "password_recovery_code" }
        let code = try OneTimeCode(try #require(try message?.content.string("code")))
        return try await browser.submit(page, .checkRecoveryCode(code)).page()
    }

    @Test("Where the server's address is no domain there are no passkeys, and no word of them")
    func address() async throws {
        let server = try await TestServer.start { settings in
            if let issuer = try? Issuer("http://127.0.0.1:8700") { settings.issuer = issuer }
        }
        _ = try await server.reachableAccount()
        let browser = TestBrowser(server)
        let asked = try await browser.openAccount().page()
        #expect(asked.passkey == nil)
        let overview = try await browser.signIn(on: asked)
        #expect(overview.overview?.passkeys == nil)
        let none = try await browser.press(.managePasskeys, on: overview).accountPage()
        #expect(none.overview != nil)
    }
}
