import ArgumentParser
import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Agreeing on a hosted page", .article("5(1)(a) the payer sees"))
struct ConsentPageTests {
    @Test("The password is one category: after an idle session the app learns that another factor is needed")
    func additionalFactor() async throws {
        let setting = try await TestConsentPage.open(tokensLast: .minutes(30))
        setting.shop.server.clock.advance(by: .minutes(6))
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.agree()
        #expect(browser.location != nil)
        let half = try await setting.outcome(of: event).get()
        #expect(half.status == .failed)
        #expect(half.reason == .additionalFactorRequired)
        #expect(half.availableVerifications.map(\.verification) == [.sms, .email])
        try await browser.open(ticket)
        #expect(browser.end == .superseded)
        try await setting.shop.agree(to: event)
        let whole = try await setting.outcome(of: event).get()
        #expect(whole.status == .verified)
    }

    @Test("The fifth wrong password locks the event, and the right one comes too late")
    func fiveWrong() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        for left in [4, 3, 2, 1] {
            try await browser.agree("not the password")
            #expect(browser.page?.notice == .wrong(remaining: left))
            #expect(browser.isAsking)
            let told = try await setting.outcome(of: event).get()
            #expect(
                told == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: Int64(left)))
        }
        try await browser.agree("not the password")
        #expect(browser.end == .locked)
        try await browser.agree()
        #expect(browser.end == .locked)
        let told = try await setting.outcome(of: event)
        #expect(told.refusal == .over(.locked))
        let messages = try await setting.shop.server.messages()
        #expect(messages.contains { $0.kind == "payment_locked" })
    }

    @Test("Wrong passwords are counted over all events: a new operation brings no endless tries")
    func acrossEvents() async throws {
        let setting = try await TestConsentPage.open()
        for number in 0..<2 {
            var browser = try await setting.browser(setting.link("op-\(number)").ticket)
            for _ in 0..<5 { try await browser.agree("not the password") }
            #expect(browser.end == .locked)
        }
        var third = try await setting.browser(setting.link("op-3").ticket)
        try await third.agree()
        guard case .tooManyAttempts? = third.page?.notice else {
            Issue.record("it was compared: \(String(describing: third.page?.notice))")
            return
        }
        setting.shop.server.clock.advance(by: .minutes(1))
        try await third.agree()
        #expect(third.location != nil)
    }

    @Test("Text that cannot be a password is asked for again, and costs no try")
    func impossible() async throws {
        let setting = try await TestConsentPage.open()
        var browser = try await setting.browser(setting.link().ticket)
        for _ in 0..<6 {
            try await browser.press(.agree(nil))
            #expect(browser.page?.notice == .wrong(remaining: 5))
        }
        try await browser.agree()
        #expect(browser.location != nil)
    }

    @Test("After a sign-in in another tab the page asks again; Cancel leads back at once")
    func secondTab() async throws {
        let setting = try await TestConsentPage.open()
        let (_, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        var left = browser
        browser.cookies.binding = Base64URL.encode([UInt8](repeating: 7, count: 32))
        left.cookies = browser.cookies
        try await left.press(.cancel)
        #expect(left.location?.hasPrefix(TestConsentPage.returnURL) == true)
        try await browser.agree()
        let link = try #require(browser.restart)
        let query = try FormParameters(parsing: link.drop { $0 != "?" }.dropFirst())
        try await browser.open(try #require(query["ticket"]))
        #expect(browser.isAsking)
        try await browser.agree()
        #expect(browser.location != nil)
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 1)
    }

    @Test("A page that is sent again after it agreed compares nothing, and leads back once more")
    func replay() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.agree()
        try await browser.agree("not the password")
        #expect(browser.location != nil)
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 1)
        try await browser.open(ticket)
        #expect(browser.end == .agreed)
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        try await browser.agree()
        #expect(browser.end == .agreed)
    }

    @Test("Another challenge voids the page before it, and its password is not compared")
    func superseded() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, first) = try await setting.link()
        var old = try await setting.browser(first)
        let second = try await setting.ticket(of: event)
        #expect(first != second)
        try await old.agree("not the password")
        #expect(old.end == .superseded)
        _ = try await setting.shop.challenge(.sms, of: event).get()
        var new = try await setting.browser(second)
        #expect(new.end == .superseded)
        try await new.open(first)
        #expect(new.end == .superseded)
        let compared = try await setting.shop.server.rows(of: "sca_attempts")
        #expect(compared == 0)
    }

    @Test("A page is good for as long as its event, and not for longer than fifteen minutes")
    func expired() async throws {
        let setting = try await TestConsentPage.open(tokensLast: .minutes(30))
        let event = try await setting.shop.required(TestShop.transfer())
        setting.shop.server.clock.advance(by: .minutes(4))
        let ticket = try await setting.ticket(of: event)
        var browser = try await setting.browser(ticket)
        let look = try #require(browser.page).appearance
        setting.shop.server.clock.advance(by: .minutes(11))
        try await browser.agree()
        #expect(browser.end == .over)
        setting.shop.server.clock.advance(by: .minutes(4))
        try await browser.open(ticket)
        #expect(browser.isStale)
        #expect(browser.errorLook == look)
        try await browser.agree()
        #expect(browser.isStale)
        #expect(browser.errorLook == look)
    }

    @Test("A page ends with the session whose operation it is, with the account, and with its return URL")
    func ended() async throws {
        let signedOut = try await TestConsentPage.open()
        var browser = try await signedOut.browser(signedOut.link().ticket)
        let session = try await signedOut.shop.session()
        let id = try #require(UniqueID(bytes: session.bytes))
        let now = signedOut.shop.server.clock.now()
        try await signedOut.shop.server.context.database.write { connection in
            _ = try connection.execute(
                "UPDATE sessions SET revoked_at = $1, revoked_reason = 'logout' WHERE id = $2", [.time(now), .id(id)])
        }
        try await browser.agree()
        #expect(browser.isStale)

        let closed = try await TestConsentPage.open()
        var closing = try await closed.browser(closed.link().ticket)
        try await closed.shop.server.administer(["account", "deactivate", "ada"])
        try await closing.agree()
        #expect(closing.isStale)

        let moved = try await TestConsentPage.open()
        var moving = try await moved.browser(moved.link().ticket)
        var change = try ClientChange.parse([])
        change.pages.removedConsentReturnURLs = [TestConsentPage.returnURL]
        try await moved.shop.server.administer { try await ClientAdministration($0).update("app", change) }
        try await moving.agree()
        #expect(moving.isStale)
    }

    @Test("Without a return URL no page is offered, and there is no PIN of the account to type on one")
    func unavailable() async throws {
        let without = try await TestShop.open(methods: ["otp"])
        let asked = try await without.ask(TestShop.transfer()).get()
        #expect(!asked.availableVerifications.contains { $0.verification.channel == .redirect })
        let setting = try await TestConsentPage.open()
        let response = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(response.availableVerifications.map(\.verification) == [.password])
        let event = try #require(response.eventID)
        let pin = try await setting.shop.challenge(.hostedPIN, of: event, returnURL: TestConsentPage.returnURL)
        guard case .verificationUnavailable(let offered)? = pin.refusal else {
            Issue.record("it was challenged: \(String(describing: pin.refusal))")
            return
        }
        #expect(offered.map(\.verification) == [.password])
    }
}
