import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks by browsers that the PIN of an account opened", .threat("Guessing an account PIN"))
struct AccountPINBrowserAttackTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    private func open(
        _ adjust: (inout ServerSettings) -> Void = { _ in }
    ) async throws -> (TestServer, TestClient, AccountID) {
        try await TestServer.withPIN(adjust)
    }

    @Test(
        "attack: an attacker who watched a PIN and signed in by it cannot deactivate the wallet, before or after it is removed"
    )
    func deactivation() async throws {
        let (server, client, account) = try await open()
        let thief = TestBrowser(server)
        _ = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
        thief.cookies.session = nil
        try await thief.expectNoHarm(at: client, to: account)
        server.clock.advance(by: .hours(25))
        try await server.administer(AdminRequest(["account", "remove-pin"] + Self.ada.words))
        try await thief.expectNoHarm(at: client, to: account)
    }

    @Test("attack: a browser that a PIN alone opened guesses among all others of its address")
    func address() async throws {
        let (server, client, _) = try await open { $0.lockout.network.failures = 4 }
        let thief = TestBrowser(server)
        _ = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
        thief.cookies.session = nil
        for _ in 0..<4 {
            let page = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
            #expect(page.notice == .invalidCredentials)
        }
        let slowed = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.wrongPIN).page()
        guard case .networkHeld? = slowed.notice else {
            Issue.record("nothing was slowed: \(String(describing: slowed.notice))")
            return
        }
    }

    @Test("A browser that the password made known stays known when the PIN opens it the next time")
    func staysKnown() async throws {
        let (server, client, account) = try await open()
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        browser.cookies.session = nil
        server.clock.advance(by: .seconds(1))
        _ = try await browser.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
        browser.cookies.session = nil
        for _ in 0..<5 { _ = try await browser.signIn(client.request(), password: "a wrong one").page() }
        #expect(try await server.record(of: account)?.state == .deactivated)
    }

    @Test("attack: what a PIN opened in browsers and apps, or was about to open, ends when the operator turns PINs off")
    func turnedOff() async throws {
        let (server, client, account) = try await TestServer.withPIN(of: { try await $0.reachableAccount() })
        _ = try await client.signIn(account, methods: ["pwd", "otp"])
        let (signedIn, halfWay) = (TestBrowser(server), TestBrowser(server))
        let asked = try await signedIn.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        let code = try await signedIn.submit(asked, .answerFactor(Password(server.sentCode()))).code()
        _ = try await client.redeem(code).tokens()
        server.clock.advance(by: .seconds(31))
        let pending = try await halfWay.signIn(client.requestByPIN(), byPIN: TestServer.pin).page()
        let answer = try Password(try await server.sentCode())
        // The browser goes on silently as long as PINs are on.
        _ = try await signedIn.open(client.request()).code()

        server.clock.advance(by: .milliseconds(1))
        let off = try await server.administer(
            ["brand", "update", "default", "--account-pin", "off"])
        #expect(off["sessionsEnded"]?.integer == 1)
        #expect(try await signedIn.open(client.request()).page().step == .credentials(username: nil))
        let late = try await halfWay.submit(pending, .answerFactor(answer)).redirect()
        #expect(late["error"] == "invalid_request")
        #expect(try await server.rows(of: "sessions WHERE revoked_reason = 'account_pin_changed'") == 1)
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL AND amr = 'pwd otp'") == 1)
    }

    @Test(
        "attack: a code that a PIN has just got opens nothing once PINs are off, nor does its browser when they are on again"
    )
    func codeUnderWay() async throws {
        let (server, client, _) = try await open()
        let thief = TestBrowser(server)
        let code = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
        server.clock.advance(by: .milliseconds(1))
        try await server.offerPINs(false)
        #expect(try await client.redeem(code).refusal == .invalidGrant)
        try await server.offerPINs()
        #expect(try await thief.open(client.request()).page().step == .credentials(username: nil))
    }

    @Test("Turning PINs off where they are off asks for no new sign-in, however often the command is repeated")
    func repeated() async throws {
        let (server, client, account) = try await open()
        try await server.offerPINs(false)
        server.clock.advance(by: .milliseconds(1))
        let browser = TestBrowser(server)
        _ = try await browser.signIn(client.request()).code()
        let before = try await server.record(of: account)
        for _ in 0..<2 {
            server.clock.advance(by: .milliseconds(1))
            let off = try await server.administer(["brand", "update", "default", "--account-pin", "off"])
            #expect(off["sessionsEnded"]?.integer == 0)
        }
        let after = try await server.record(of: account)
        #expect(after?.securityVersion == before?.securityVersion)
        #expect(after?.devicesDistrustedAt == before?.devicesDistrustedAt)
        _ = try await browser.open(client.request()).code()
    }

    @Test("attack: what a PIN opened ends by the command that is repeated, where the first one was cut off")
    func cutOff() async throws {
        let (server, client, _) = try await open()
        let thief = TestBrowser(server)
        _ = try await client.redeem(thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()).tokens()
        server.clock.advance(by: .milliseconds(1))
        // The first write turns PINs off; the second would end what they opened.
        server.beforeNextWrite { server.beforeNextWrite { throw InvariantViolation() } }
        await #expect(throws: TestServer.Refused.self) { try await server.offerPINs(false) }
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 1)
        // Another change in between is no end of it.
        try await server.administer(["brand", "update", "default", "--color", "336699"])
        let off = try await server.administer(["brand", "update", "default", "--account-pin", "off"])
        #expect(off["sessionsEnded"]?.integer == 1)
        try await server.offerPINs()
        #expect(try await thief.open(client.request()).page().step == .credentials(username: nil))
    }

    @Test("attack: a command that turned PINs off and ends late does not pass for one that was cut off after it")
    func overtaken() async throws {
        let (server, client, _) = try await open()
        // While the first one is at it, PINs are turned on, one opens something, and a second one is cut off.
        server.beforeNextWrite {
            server.beforeNextWrite {
                server.beforeNextWrite {
                    try await server.offerPINs()
                    let thief = TestBrowser(server)
                    let code = try await thief.signIn(client.requestByPIN(), byPIN: TestServer.pin).code()
                    _ = try await client.redeem(code).tokens()
                    server.beforeNextWrite { server.beforeNextWrite { throw InvariantViolation() } }
                    await #expect(throws: TestServer.Refused.self) { try await server.offerPINs(false) }
                }
            }
        }
        try await server.offerPINs(false)
        #expect(try await server.rows(of: "sessions WHERE revoked_at IS NULL") == 1)
        let off = try await server.administer(["brand", "update", "default", "--account-pin", "off"])
        #expect(off["sessionsEnded"]?.integer == 1)
    }

    @Test("attack: a sign-in by PIN while PINs are turned off for two hundred others leaves an unknown device")
    func manyAccounts() async throws {
        let (server, _, account) = try await open()
        let ada = try #require(try await server.record(of: account))
        let version = try server.context.random.uniqueID()
        let now = server.clock.now()
        try await server.context.database.write { connection in
            for number in UInt8(0)..<200 {
                var other = ada
                // Before hers, so that she is in the second write.
                other.id = try #require(UniqueID(bytes: [UInt8](repeating: 0, count: 15) + [number]))
                let created = try Accounts.create(
                    other, named: "person\(number)", digests: AccountDigests(account: other.id, digests: []),
                    on: connection)
                #expect(created == .created)
                let isSet = try AccountPINs.set(
                    other.id, version: version, hash: [0], replacing: nil, coolingUntil: now, now: now, on: connection)
                #expect(isSet)
            }
        }
        // Time passes with the first write that ends what PINs opened.
        server.beforeNextWrite { server.beforeNextWrite { server.clock.advance(by: .seconds(1)) } }
        try await server.offerPINs(false)
        #expect(try await server.record(of: account)?.devicesDistrustedAt == server.clock.now())
        #expect(try await server.rows(of: "accounts WHERE devices_distrusted_at IS NOT NULL") == 201)
    }

    @Test("attack: a PIN that was being compared while the operator turned PINs off gets a code that opens nothing")
    func comparedMeanwhile() async throws {
        let (server, client, account) = try await open()
        try await server.offerPINs(false)
        let version = try #require(try await server.record(of: account)?.securityVersion)
        var grant = try client.grant(for: account, methods: ["pin"])
        grant.securityVersion = version
        let code = try server.sealedCode(for: grant)
        let outcome = try await client.token(
            .authorizationCode(code, redirectURI: nil, verifier: TestClient.verifier))
        #expect(outcome.refusal == .invalidGrant)
        #expect(try await server.rows(of: "sessions") == 0)
    }

    @Test(
        "attack: a PIN that was sent while PINs were on, and is reached when they are off, is not compared: no code of it waits until they are on again"
    )
    func reachedWhenOff() async throws {
        let (server, _, account) = try await open()
        try await server.offerPINs(false)
        // Where a sign-in goes on that has read that PINs are on, and reads the account after what it began was voided.
        for typed in [TestServer.pin, TestServer.wrongPIN] {
            let before = (server.context.passwords.hashesComputed, try await server.rows(of: "attempts"))
            let outcome = try await server.flows.signIn.native.engine.checks.accountPINs.verify(
                AccountPIN(typed), username: Username("ada"), brand: BrandID("default"), device: .cookie(nil),
                origin: TestServer.origin, now: server.clock.now())
            guard case .notTaken = outcome else {
                Issue.record("it was compared: \(outcome)")
                return
            }
            #expect(server.context.passwords.hashesComputed == before.0)
            #expect(try await server.rows(of: "attempts") == before.1)
        }
        let record = try #require(try await server.pinRecord(of: account))
        #expect(record.failedTotal == 0)
        #expect(record.chargedAt == nil)
    }

    @Test(
        "attack: a PIN whose comparison began before PINs were turned off signs in by nothing, also where they are on again when it ends"
    )
    func offAndOnWhileCompared() async throws {
        let (server, client, _) = try await open()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN()).page()
        // The first write charges; what happens before the second happens while the PIN is compared.
        server.beforeNextWrite {
            server.beforeNextWrite {
                try await server.offerPINs(false)
                try await server.offerPINs()
            }
        }
        let pin = try AccountPIN(TestServer.pin)
        let refused = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).page()
        #expect(refused.step == .alternative(.accountPIN, username: nil))
        #expect(browser.cookies.session == nil)
        #expect(try await server.rows(of: "browser_sessions") == 0)
        #expect(try await server.rows(of: "security_events WHERE kind = 'account.signed_in'") == 0)
    }

    @Test("attack: PINs that are turned off and on again before a guess is charged leave it nothing to sign in by")
    func offAndOnBeforeTheCharge() async throws {
        let (server, client, _) = try await open()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN()).page()
        server.beforeNextWrite {
            try await server.offerPINs(false)
            try await server.offerPINs()
        }
        let pin = try AccountPIN(TestServer.pin)
        let refused = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(pin))).page()
        #expect(refused.step == .alternative(.accountPIN, username: nil))
        #expect(browser.cookies.session == nil)
    }

    @Test("A guess that is reached when PINs are off costs no try, and the page asks for the password")
    func offBeforeTheCharge() async throws {
        let (server, client, account) = try await open()
        let browser = TestBrowser(server)
        let page = try await browser.open(client.requestByPIN()).page()
        server.beforeNextWrite { try await server.offerPINs(false) }
        let wrong = try AccountPIN(TestServer.wrongPIN)
        let asked = try await browser.submit(page, .signInInstead(username: "ada", .accountPIN(wrong))).page()
        #expect(asked.step == .credentials(username: "ada"))
        #expect(asked.notice == nil)
        #expect(try await server.pinRecord(of: account)?.failedTotal == 0)
    }
}
