import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite(
    "Refusing what one did not start, on the hosted page and in the app",
    .covers("a payment that the person did not start is ended at the server"))
struct ConsentRefusalTests {
    @Test("A person who did not ask for it refuses it: it can no longer be agreed to, and the audit log says so")
    func refuse() async throws {
        let setting = try await TestConsentPage.open()
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        try await browser.agree()
        #expect(browser.end == .over)
        let told = try await setting.outcome(of: event)
        #expect(told.refusal == .refused)
        let status = try await setting.shop.status()
        #expect(status == .cancelled)
        let audited = try await setting.shop.server.context.database.read { connection in
            try connection.query("SELECT kind FROM security_events WHERE kind LIKE 'operation.%'", [])
                .map { try $0.text("kind") }
        }
        #expect(audited.contains("operation.refused"))
        let evidence = try await setting.shop.verifiedEvidence()
        #expect(evidence.status == .cancelled)
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .refused])
        let messages = try await setting.shop.server.messages().filter { $0.kind == "payment_refused" }
        #expect(messages.count == 1)
        #expect(try messages.first?.content.string("amount") == "90.00 EUR")
        #expect(try messages.first?.content.string("payee") == "Anna Verna")
    }

    @Test("The holder reads what was refused, and what to do where it was not they, or was they")
    func refusalRead() async throws {
        let setting = try await TestConsentPage.open()
        var browser = try await setting.browser(setting.link().ticket)
        try await browser.press(.refuse)
        let reader = try #require(setting.shop.server.flows.messages)
        let message = try #require(try await reader.recent(limit: 10).first { $0.kind == "payment_refused" })
        #expect(message.channel == "email")
        #expect(message.text.contains("€90.00 to account DE02120300000000202051 (Anna Verna)"))
        #expect(message.subject == "A payment of €90.00 was refused")
        #expect(message.text.contains("Nothing was paid"))
        #expect(message.text.contains("If you didn't start this operation"))
        #expect(message.text.contains("change your password"))
        #expect(message.text.contains("If you started it yourself, start it again."))
        // Who refused it has something to do where another began it, and is not the one who has access.
        for contradiction in ["need to do anything", "If this was you", "Was it you"] {
            #expect(!message.text.contains(contradiction), "\(contradiction)")
        }
    }

    @Test(
        "attack: refusing again and again fills no mailbox: the first five send a notice, and each is recorded",
        .threat("Cost and flooding by paid messages"))
    func manyRefusals() async throws {
        let setting = try await TestConsentPage.open()
        for number in 1...8 {
            var browser = try await setting.browser(setting.link("op-\(number)").ticket)
            try await browser.press(.refuse)
            #expect(browser.end == .refused)
            // Twice is once: it is over then.
            try await browser.press(.refuse)
        }
        let told = try await setting.shop.server.messages().filter { $0.kind == "payment_refused" }
        #expect(told.count == 5)
        let recorded = try await setting.shop.server.context.database.read {
            try $0.row(
                "SELECT COUNT(*) AS number FROM security_events WHERE kind = 'operation.refused'",
                [])?.integer("number")
        }
        #expect(recorded == 8)
    }

    @Test("Refusing also undoes what another person agreed to in the app, until it is carried out")
    func refuseLate() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        try await setting.shop.agree(to: event)
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        let consumed = try await setting.shop.consume(TestShop.transfer(), event: event)
        #expect(consumed.refusal == .over(.cancelled))
        // What was carried out stays carried out.
        let (second, link) = try await setting.link("op-2")
        var late = try await setting.browser(link)
        try await late.agree()
        _ = try await setting.shop.consume(TestShop.transfer(), event: second, id: "op-2").get()
        try await late.press(.refuse)
        #expect(late.end == .agreed)
    }

    @Test("attack: voiding a page by another challenge does not prevent the refusal on an open one")
    func refuseSuperseded() async throws {
        let setting = try await TestConsentPage.open(methods: ["pwd", "otp"])
        let (event, ticket) = try await setting.link()
        var browser = try await setting.browser(ticket)
        _ = try await setting.shop.challenge(.sms, of: event).get()
        try await browser.press(.refuse)
        #expect(browser.end == .refused)
        let agreed = try await setting.shop.attempt(setting.shop.code(), .sms, at: event)
        #expect(agreed.refusal == .refused)
        // A link that is opened only now says that it is void, and has no form to refuse with.
        let (second, first) = try await setting.link("op-2")
        _ = try await setting.ticket(of: second, id: "op-2")
        let late = try await setting.browser(first)
        #expect(late.end == .superseded)
        #expect(late.form == nil)
    }

    @Test("A refusal in the app has the same effect as on the page, and repeating it changes nothing")
    func refuseInApp() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        for _ in 0..<2 { try await shop.refuse(event).get() }
        let code = try await shop.code()
        #expect(try await shop.attempt(code, .sms, at: event).refusal == .refused)
        #expect(try await shop.challenge(.sms, of: event).refusal == .refused)
        #expect(try await shop.status() == .cancelled)
        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .refused])
        #expect(evidence.version == 1 && !evidence.steps.contains(where: \.isWithdrawal))
        #expect(try await shop.server.messages().count { $0.kind == "payment_refused" } == 1)
    }

    @Test("A payment that its own app withdraws is over, and no one is warned of it")
    func withdrawn() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        for _ in 0..<2 { try await shop.refuse(event, isWithdrawal: true).get() }
        #expect(try await shop.status() == .cancelled)
        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.steps.map(\.kind) == [.requested, .refused])
        #expect(evidence.version == 4 && evidence.steps.map(\.isWithdrawal) == [false, true])
        #expect(try await !shop.server.messages().contains { $0.kind.hasSuffix("_refused") })
    }

    @Test("What is no payment is refused as an operation")
    func refusedOperation() async throws {
        let shop = try await TestShop.open()
        let trust = try WalletOperation(
            type: .trustPayee, payee: Payee(name: "Anna Verna", account: "DE02120300000000202051"))
        let event = try await shop.required(trust)
        try await shop.refuse(event).get()
        #expect(try await shop.server.messages().count { $0.kind == "consent_refused" } == 1)
    }

    @Test("A refusal in the app also undoes a consent, until the operation is carried out")
    func refuseInAppLate() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        try await shop.refuse(event).get()
        #expect(try await shop.consume(TestShop.transfer(), event: event).refusal == .over(.cancelled))
        let second = try await shop.required(TestShop.transfer(), id: "op-2")
        shop.server.clock.advance(by: .minutes(1))
        try await shop.agree(to: second, id: "op-2")
        _ = try await shop.consume(TestShop.transfer(), event: second, id: "op-2").get()
        #expect(try await shop.refuse(second, id: "op-2").refusal == .over(.used))
    }

    @Test("Nothing is refused by another operation's id, and an expired event stays expired")
    func refuseInAppElsewhere() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        let event = try await shop.required(TestShop.transfer())
        #expect(try await shop.refuse(event, id: "op-2").refusal == .eventNotFound)
        #expect(try await shop.status() == .scaRequired)
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        #expect(try await shop.refuse(event).refusal == .over(.expired))
    }
}
