import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import SignIn

extension TestConsentPage {
    /// Challenges the account's PIN.
    func ticketByPIN(of event: SCAEventID, id: String = "op-1") async throws -> String {
        let challenge = try await shop.challenge(.hostedPIN, of: event, id: id, returnURL: Self.returnURL).get()
        let url = try #require(challenge.redirectURL?.rawValue)
        return try #require(try FormParameters(parsing: String(url.drop { $0 != "?" }.dropFirst()))["ticket"])
    }
}

@Suite("Agreeing to an operation by the account's PIN", .threat("Guessing an account PIN"))
struct AccountPINConsentTests {
    private func open(methods: [String] = ["otp"], tokensLast: Duration = .minutes(5)) async throws -> TestConsentPage {
        let setting = try await TestConsentPage.open(methods: methods, tokensLast: tokensLast)
        try await setting.shop.server.offerPINs()
        try await setting.shop.server.setPIN(of: setting.shop.account)
        return setting
    }

    @Test("The page takes the PIN, the app asks what came of it, and the proof names it")
    func wholeWay() async throws {
        let setting = try await open()
        let asked = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(asked.availableVerifications.map(\.verification) == [.password, .hostedPIN])
        let event = try #require(asked.eventID)
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        guard case .asking(.pin)? = browser.page?.step else {
            Issue.record("the page asks for something else: \(String(describing: browser.page?.step))")
            return
        }
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.location?.hasPrefix(TestConsentPage.returnURL) == true)
        let told = try await setting.shop.attempt(nil, .hostedPIN, at: event).get()
        #expect(told.status == .verified)
        let authorized = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let outcome = try setting.shop.claims(of: authorized.authenticationCode).basis
        guard case .verified(let consent) = outcome else {
            Issue.record("it is exempt: \(String(describing: outcome))")
            return
        }
        #expect(consent.methods == ["otp", "pin"])
        let kept = try await setting.shop.server.context.database.read { connection in
            try connection.row("SELECT method, channel FROM sca_attempts WHERE correct = 1", [])
        }
        #expect(try kept?.text("method") == "PIN")
        #expect(try kept?.text("channel") == "REDIRECT")
        #expect(try await setting.shop.server.pinRecord(of: setting.shop.account)?.failed == 0)
    }

    @Test("A session that password or PIN opened has proved knowledge: neither of them is asked for once more")
    func oneCategory() async throws {
        for methods in [["pwd"], ["pin"]] {
            let setting = try await open(methods: methods)
            let asked = try await setting.shop.ask(TestShop.transfer()).get()
            #expect(asked.availableVerifications.map(\.verification) == [.sms, .email])
            let event = try #require(asked.eventID)
            let refused = try await setting.shop.challenge(
                .hostedPIN, of: event, returnURL: TestConsentPage.returnURL)
            guard case .verificationUnavailable? = refused.refusal else {
                Issue.record("it was challenged: \(String(describing: refused.refusal))")
                return
            }
        }
    }

    @Test("attack: a locked PIN, one that the operator turned off, and none agree to nothing and are not offered")
    func notOffered() async throws {
        let setting = try await open()
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        try await server.offerPINs(false)
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.page?.notice == .wrong(remaining: 4))
        #expect(try await server.pinRecord(of: setting.shop.account)?.failedTotal == 0)
        var offered = try await setting.shop.ask(TestShop.transfer(), id: "op-2").get().availableVerifications
        #expect(offered.map(\.verification) == [.password])
        try await server.offerPINs()
        let now = server.clock.now()
        try await server.context.database.write {
            _ = try $0.execute("UPDATE account_pins SET state = 'locked', locked_at = $1", [.time(now)])
        }
        offered = try await setting.shop.ask(TestShop.transfer(), id: "op-3").get().availableVerifications
        #expect(offered.map(\.verification) == [.password])
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.location == nil)
    }

    @Test(
        "attack: the password's page takes no PIN and the PIN's no password; what is no PIN costs a try and is compared with nothing"
    )
    func otherFactor() async throws {
        let setting = try await open()
        let event = try await setting.shop.required(TestShop.transfer())
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        try await browser.agree()
        #expect(browser.end == .superseded)
        try await browser.press(.agreeByPIN(nil))
        #expect(browser.page?.notice == .wrong(remaining: 4))
        #expect(try await setting.shop.server.pinRecord(of: setting.shop.account)?.failedTotal == 0)
        var other = try await setting.browser(setting.ticket(of: event))
        try await other.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(other.end == .superseded)
        #expect(try await setting.outcome(of: event).get().status == .failed)
    }

    @Test("attack: of a thousand PINs at once on the page of a payment five at most are compared")
    func parallel() async throws {
        let setting = try await open()
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        let opened = try await setting.browser(setting.ticketByPIN(of: event))
        let wrong = try AccountPIN(TestServer.wrongPIN)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask {
                    var browser = opened
                    try await browser.press(.agreeByPIN(wrong))
                }
            }
            try await group.waitForAll()
        }
        let record = try await server.pinRecord(of: setting.shop.account)
        #expect(record.map { $0.failedTotal <= 5 } == true)
        #expect(try await server.told("account_pin_locked") <= 1)
        var browser = opened
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.location == nil)
    }

    @Test(
        "attack: a PIN set within a minute at an unattended browser approves no payment for a day, nor does a sign-in with it"
    )
    func cooling() async throws {
        for methods in [["otp"], ["pin", "otp"]] {
            let setting = try await open(methods: methods)
            let (server, account) = (setting.shop.server, setting.shop.account)
            try await server.setPIN(of: account, coolingFor: server.context.settings.devices.coolingPeriod)
            let asked = try await setting.shop.ask(TestShop.transfer()).get()
            #expect(asked.availableVerifications.map(\.verification) == [.password], "\(methods)")
            let event = try #require(asked.eventID)
            let refused = try await setting.shop.challenge(
                .hostedPIN, of: event, returnURL: TestConsentPage.returnURL)
            guard case .verificationUnavailable? = refused.refusal else {
                Issue.record("it was challenged: \(String(describing: refused.refusal))")
                continue
            }
            try await server.setPIN(of: account)
            let later = try await setting.shop.ask(TestShop.transfer(), id: "op-2").get().availableVerifications
            let isOffered = later.contains { $0.verification == .hostedPIN }
            #expect(isOffered, "\(methods)")
        }
    }

    @Test("A right PIN that waits for its write until the payment's time is over costs nothing")
    func expiredMeanwhile() async throws {
        let setting = try await open(tokensLast: .minutes(30))
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        server.clock.advance(by: SCALimits.eventLifetime - .seconds(1))
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        server.beforeNextWrite { server.clock.advance(by: .seconds(1)) }
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.end == .over)
        let record = try await server.pinRecord(of: setting.shop.account)
        #expect(record?.failed == 0)
        #expect(record?.failedTotal == 0)
    }

    @Test("A right PIN agrees to nothing and costs nothing if its payment is challenged once more before the answer")
    func challengedMeanwhile() async throws {
        let setting = try await open()
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        // The attempt's writes charge the event and the PIN, and settle both.
        server.beforeNextWrite {
            server.beforeNextWrite { server.beforeNextWrite { _ = try await setting.ticketByPIN(of: event) } }
        }
        try await browser.press(.agreeByPIN(AccountPIN(TestServer.pin)))
        #expect(browser.location == nil)
        #expect(try await setting.outcome(of: event).get().status == .failed)
        let record = try await server.pinRecord(of: setting.shop.account)
        #expect(record?.failed == 0)
        #expect(record?.failedTotal == 0)
    }

    @Test("attack: a PIN that took another's place while the page of a payment was open does not agree to it")
    func replacedMeanwhile() async throws {
        let setting = try await open()
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        var browser = try await setting.browser(setting.ticketByPIN(of: event))
        try await server.setPIN("460397", of: setting.shop.account, coolingFor: .hours(24))
        try await browser.press(.agreeByPIN(AccountPIN("460397")))
        #expect(browser.location == nil)
        #expect(browser.page?.notice == .wrong(remaining: 4))
    }
}
