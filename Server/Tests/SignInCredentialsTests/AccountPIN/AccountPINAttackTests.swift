import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks on the PIN of an account", .threat("A forgotten password and a stolen mailbox"))
struct AccountPINAttackTests {
    @Test("attack: of a thousand PINs guessed at once five are compared, and the right one comes too late")
    func parallelGuesses() async throws {
        let (server, client, account) = try await TestServer.withPIN {
            // An eighth of the places is one name's: all thousand get one.
            $0.passwordHashing = PasswordHashing(memoryKiB: 8, passes: 1, queueLimit: 10_000)
            $0.lockout.network.failures = 10_000
        }
        let notices = try await withThrowingTaskGroup(of: SignInPage.Notice?.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
                        .notice
                }
            }
            return try await group.reduce(into: [SignInPage.Notice?]()) { $0.append($1) }
        }
        #expect(notices.count == 1000)
        #expect(notices.allSatisfy { $0 == .invalidCredentials })
        let record = try #require(try await server.pinRecord(of: account))
        #expect(record.failed == 5)
        #expect(record.failedTotal == 5)
        #expect(record.state == .locked)
        #expect(try await server.told("account_pin_locked") == 1)
        let late = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(late.notice == .invalidCredentials)
    }

    @Test("attack: the sign-in page, the account's page and the page of a payment share one count")
    func oneCount() async throws {
        let setting = try await TestConsentPage.open()
        let server = setting.shop.server
        try await server.offerPINs()
        try await server.setPIN(of: setting.shop.account)
        let client = try await server.bearerClient("other")
        let wrong = try AccountPIN(TestServer.wrongPIN)
        for _ in 0..<2 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        for _ in 0..<2 {
            let browser = TestBrowser(server)
            let page = try await browser.openAccount(AccountPageRequest(loginStrategy: .pin)).page()
            _ = try await browser.press(.signInInstead(username: "ada", .accountPIN(wrong)), on: page).page()
        }
        #expect(try await server.pinRecord(of: setting.shop.account)?.failed == 4)
        let event = try await setting.shop.required(TestShop.transfer(), id: "op-1")
        var page = try await setting.browser(setting.ticketByPIN(of: event))
        try await page.press(.agreeByPIN(wrong))
        #expect(page.page?.notice == .wrong(remaining: 4))
        #expect(try await server.pinRecord(of: setting.shop.account)?.state == .locked)
        #expect(try await server.told("account_pin_locked") == 1)
        try await page.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(page.location == nil)
    }

    @Test(
        "attack: a wrong PIN, a locked one, none, no account and an impossible name get the same response, after the same work"
    )
    func oracle() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 10_000 }
        try await server.offerPINs()
        for name in ["ada", "bob"] { try await server.setPIN(of: server.account(name)) }
        _ = try await server.account("eve")
        let client = try await server.bearerClient()
        for _ in 0..<5 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN, "bob").page()
        }
        for name in ["ada", "bob", "eve", "nobody"] {
            let before = server.context.passwords.hashesComputed
            let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN, name)
                .page()
            #expect(server.context.passwords.hashesComputed - before == 1, "\(name)")
            #expect(page.step == .alternative(.accountPIN, username: name))
            #expect(page.notice == .invalidCredentials)
            #expect(page.passkey != nil)
        }
        let impossible = try await TestBrowser(server)
            .signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN, "no\u{202E}body").page()
        #expect(impossible.notice == .invalidCredentials)
    }

    @Test("attack: what is no PIN at all is answered like a wrong one, and costs the holder no try")
    func malformed() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN()).page()
        let refused = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(nil))).page()
        #expect(refused.notice == .invalidCredentials)
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }

    @Test(
        "attack: guesses at many accounts from one address are slowed, with a PIN or without",
        .threat("Guessing an account PIN"))
    func spraying() async throws {
        let server = try await TestServer.start { $0.lockout.network.failures = 4 }
        try await server.offerPINs()
        for number in 0..<6 { try await server.setPIN(of: server.account("person\(number)")) }
        let client = try await server.bearerClient()
        var last: SignInPage.Notice?
        for number in 0..<6 {
            last = try await TestBrowser(server).signIn(
                client.requestByPIN(), byPIN: TestServer.wrongPIN, "person\(number)"
            ).page().notice
        }
        guard case .networkHeld? = last else {
            Issue.record("nothing was slowed: \(String(describing: last))")
            return
        }
    }

    @Test(
        "attack: one account's PIN opens no other one, nor does its page change another's",
        .threat("Guessing an account PIN"))
    func crossAccount() async throws {
        let server = try await TestServer.start()
        let ada = try await server.account()
        let bob = try await server.account("bob")
        try await server.offerPINs()
        try await server.setPIN(of: ada)
        try await server.setPIN("460397", of: bob)
        let client = try await server.bearerClient()
        let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin, "bob").page()
        #expect(page.notice == .invalidCredentials)

        let (hers, his) = (TestBrowser(server), TestBrowser(server))
        let own = try await hers.openPIN()
        _ = try await his.openPIN("bob")
        let before = [try await server.pinRecord(of: ada), try await server.pinRecord(of: bob)]
        let change = AccountPage.Action.changePIN(.set(.success(try AccountPIN("705931"))))
        // Her form in his browser, and her form in a browser that has both bindings.
        #expect(try await his.press(change, on: own).restart != nil)
        his.cookies.binding = hers.cookies.binding
        _ = try await his.press(change, on: own)
        let after = [try await server.pinRecord(of: ada), try await server.pinRecord(of: bob)]
        #expect(after == before)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: "460397", "bob").code()
    }

    @Test(
        "attack: a form of the PIN's page is taken once, from the browser that was served it, and not without its token (CSRF)"
    )
    func csrf() async throws {
        let server = try await TestServer.start()
        let account = try await server.account()
        try await server.offerPINs()
        let browser = TestBrowser(server)
        let page = try await browser.openPIN()
        let set = AccountPage.Action.changePIN(.set(.success(try AccountPIN(TestServer.pin))))
        var forged = page
        forged.form?.csrf = ""
        #expect(try await browser.press(set, on: forged).fault == .stalePage)
        #expect(try await TestBrowser(server).press(set, on: page).fault == .stalePage)
        #expect(try await server.pinRecord(of: account) == nil)
        #expect(try await browser.press(set, on: page).accountPage().notice == .pinSet)
        #expect(try await browser.press(.changePIN(.remove), on: page).fault == .stalePage)
        #expect(try await server.pinRecord(of: account) != nil)
    }

    @Test("attack: a PIN set with a stolen password is gone when the holder chooses another password")
    func stolenPassword() async throws {
        let (server, client, account) = try await TestServer.withPIN(
            of: { try await $0.account { $0.email = "ada@example.com" } })
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        #expect(try await server.pinRecord(of: account) == nil)
        #expect(try await server.told("account_pin_removed") == 1)
        let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(page.notice == .invalidCredentials)
    }

    @Test("attack: any recovery removes the PIN and notifies the holder")
    func recovery() async throws {
        let (server, client, account) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        let browser = TestBrowser(server)
        var page = try await browser.open(client.request()).page()
        page = try await browser.submit(page, .recover(username: "ada")).page()
        let code = try OneTimeCode(try await server.recoveryCode())
        page = try await browser.submit(page, .checkRecoveryCode(code)).page()
        #expect(try await server.pinRecord(of: account) != nil)
        server.clock.advance(by: .milliseconds(1))
        _ = try await browser.submit(page, .setPassword(Password("another phrase 8"))).code()
        #expect(try await server.pinRecord(of: account) == nil)
        #expect(try await server.told("account_pin_removed") == 1)
    }

    @Test(
        "attack: a database from before some guesses hands out none of them again: after a restore every PIN is locked")
    func restored() async throws {
        var server = try await TestServer.start()
        let account = try await server.account()
        try await server.offerPINs()
        try await server.setPIN(of: account)
        server = try await server.restarted(epoch: 1)
        #expect(try await server.pinRecord(of: account)?.state == .locked)
        let client = try await server.bearerClient()
        let page = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        #expect(page.notice == .invalidCredentials)
    }

    @Test("attack: a PIN that is removed while it is compared opens nothing", .threat("Guessing an account PIN"))
    func removedMeanwhile() async throws {
        let (server, client, _) = try await TestServer.withPIN()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN()).page()
        // The first write charges; what happens before the second happens while the PIN is compared.
        server.beforeNextWrite {
            server.beforeNextWrite {
                try await server.administer(["account", "remove-pin", "ada"])
            }
        }
        let pin = try AccountPIN(TestServer.pin)
        let refused = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).page()
        #expect(refused.notice == .invalidCredentials)
    }

    @Test(
        "attack: twelve guesses at a name whose PIN they lock write what they write at names that have none, today and tomorrow"
    )
    func writes() async throws {
        let (server, client, _) = try await TestServer.withPIN { $0.lockout.network.failures = 10_000 }
        _ = try await server.account("eve")
        var counts: [String: [Int]] = [:]
        for _ in 0..<2 {
            for name in ["ada", "eve", "nobody"] {
                for _ in 1...12 {
                    let browser = TestBrowser(server)
                    let page = try await browser.open(client.requestByPIN()).page()
                    let before = server.writes
                    let wrong = try AccountPIN(TestServer.wrongPIN)
                    _ = try await browser.submit(page, .signInInstead(username: name, .accountPIN(wrong))).page()
                    counts[name, default: []].append(server.writes - before)
                }
            }
            server.clock.advance(by: .hours(25))
        }
        #expect(counts["nobody"]?.count == 24)
        #expect(counts["ada"] == counts["nobody"])
        #expect(counts["eve"] == counts["nobody"])
        #expect(try await server.told("account_pin_locked") == 1)
    }

    @Test(
        "attack: a fifth guess that ended with its process leaves no PIN locked without a notice",
        .threat("Guessing an account PIN"))
    func abandoned() async throws {
        let (server, client, account) = try await TestServer.withPIN()
        let id = try #require(UniqueID(bytes: account.bytes))
        let now = server.clock.now()
        // Charged, and never compared.
        for _ in 0..<5 {
            _ = try await server.context.database.write { try AccountPINs.charge(id, now: now, on: $0) }
        }
        func guess() async throws -> SignInPage.Notice? {
            try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).page().notice
        }
        // The comparison of the fifth may be under way, and be right.
        server.clock.advance(by: .seconds(59))
        #expect(try await guess() == .invalidCredentials)
        #expect(try await server.pinRecord(of: account)?.state == .active)
        server.clock.advance(by: .seconds(1))
        for _ in 0..<2 {
            #expect(try await guess() == .invalidCredentials)
            #expect(try await server.pinRecord(of: account)?.state == .locked)
            #expect(try await server.told("account_pin_locked") == 1)
            #expect(try await server.rows(of: "security_events WHERE kind = 'account_pin.locked'") == 1)
        }
    }

    @Test(
        "attack: four guesses between each two of the holder's sign-ins are in the audit log, as a count and not one by one"
    )
    func slowGuesses() async throws {
        let (server, client, account) = try await TestServer.withPIN { $0.lockout.network.failures = 10_000 }
        func recorded() async throws -> Int64 {
            try await server.rows(of: "security_events WHERE kind = 'account.sign_in_failures'")
        }
        for _ in 0..<3 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        #expect(try await recorded() == 0)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        #expect(try await recorded() == 1)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN, "nobody").page()
        #expect(try await recorded() == 1)
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
        for _ in 0..<3 {
            _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        }
        #expect(try await recorded() == 1)
        // The eighth altogether, and the fourth in a row.
        _ = try await TestBrowser(server).signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        #expect(try await recorded() == 2)
        #expect(try await server.pinRecord(of: account)?.failedTotal == 8)
    }
}
