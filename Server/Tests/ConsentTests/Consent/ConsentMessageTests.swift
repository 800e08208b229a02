import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel

@Suite("What the message with a code says of the operation", .threat("A code that is read out"))
struct ConsentMessageTests {
    private static let account = "DE02120300000000202051"

    /// The message that a person gets, in their language.
    private func text(
        _ operation: WalletOperation, by channel: OutboxChannel = .sms, locale: String = "en", on server: TestServer
    ) throws -> String {
        let context = server.context
        let now = server.clock.now()
        let id = try context.random.timeOrderedID(now)
        var content = JSONObject()
        content.set("to", "+4915112345678")
        content.set("code", "123456")
        content.set("type", operation.type)
        content.set("amount", operation.amount?.words)
        content.set("amount_units", operation.amount?.value)
        content.set("amount_currency", operation.amount?.currency)
        content.set("payee", operation.payee?.name)
        content.set("payee_account", operation.payee?.account)
        let record = OutboxRecord(
            id: id, accountID: nil, kind: ConsentMessage.Kind.code.rawValue, channel: channel,
            sealed: try context.sealing.seal(content.bytes, for: .outbox, context: AuditLog.context(id)),
            createdAt: now,
            dueAt: now, expiresAt: now + .minutes(5), language: locale)
        let facts = MessageRendering.Facts(
            account: AccountRecord(id: id, brandID: "default", locale: locale, createdAt: now),
            brand: BrandRecord(id: "default", name: "Example Bank", settings: "{}", createdAt: now))
        return try #require(context.rendering.render(record, facts)).text
    }

    @Test(
        "attack: a code that is read out for one payment begins a series or trusts a payee: each kind has words of its own",
        arguments: ["en", "de", "fr", "es", "bg"])
    func kinds(locale: String) async throws {
        let server = try await TestServer.start()
        let payee = try Payee(name: "Anna Verna", account: Self.account)
        let amount = try Money(minorUnits: 500_00, currency: .euro)
        let wording = Language.choose([locale]).texts(MessageWording.self)
        func beginning(_ sentence: String) -> String { String(sentence.prefix { $0 != "{" }) }
        for channel in [OutboxChannel.sms, .email] {
            func said(_ operation: WalletOperation) throws -> String {
                try text(operation, by: channel, locale: locale, on: server)
            }
            let payment = try said(
                WalletOperation(type: WalletOperationType("TRANSFER"), amount: amount, payee: payee))
            let series = try said(WalletOperation(type: .beginSeries, amount: amount, payee: payee))
            let trust = try said(WalletOperation(type: .trustPayee, payee: payee))
            let distrust = try said(WalletOperation(type: .distrustPayee, payee: payee))
            #expect(Set([payment, series, trust, distrust]).count == 4)
            #expect(series.contains(beginning(wording[.series])))
            #expect(series.contains(amount.text(in: .choose([locale]), gap: " ")))
            #expect(trust.contains(beginning(wording[.trust])))
            #expect(distrust.contains(beginning(wording[.distrust])))
            #expect(!payment.contains(beginning(wording[.series])) && !payment.contains(beginning(wording[.trust])))
            // Also where one got there with an amount: a trusted payee is paid any.
            let small = try said(
                WalletOperation(type: .trustPayee, amount: Money(minorUnits: 1_00, currency: .euro), payee: payee))
            #expect(small == trust)
            for text in [payment, series, trust, distrust] {
                #expect(text.contains(Self.account) && text.contains("Anna Verna") && text.contains("123456"))
                #expect(!text.contains("{"))
            }
        }
    }

    @Test(
        "In German and French, an e-mail and an SMS say that the code is what approves the operation",
        arguments: [
            ("de", "Mit diesem Code geben Sie bei Example Bank frei: 500,00 € an Konto DE02"),
            ("fr", "Avec ce code, vous validez auprès de Example Bank : 500,00 € vers le compte DE02"),
        ])
    func effect(locale: String, sentence: String) async throws {
        let server = try await TestServer.start()
        let operation = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 500_00, currency: .euro),
            payee: Payee(name: "Anna Verna", account: Self.account))
        for channel in [OutboxChannel.sms, .email] {
            let message = try text(operation, by: channel, locale: locale, on: server)
            #expect(message.contains(sentence), "\(message)")
        }
    }

    @Test(
        "attack: a payee's name with an account in it comes before the real one, past what a locked screen shows",
        arguments: ["en", "de", "fr", "es", "bg"])
    func accountFirst(locale: String) async throws {
        let server = try await TestServer.start()
        let name = "Anna, account DE00000000000000000000"
        let message = try text(
            WalletOperation(
                type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 500_00, currency: .euro),
                payee: Payee(name: name, account: Self.account)), locale: locale, on: server)
        let account = try #require(message.firstRange(of: Self.account))
        let shown = try #require(message.firstRange(of: name))
        #expect(account.lowerBound < shown.lowerBound)
    }

    @Test("attack: a name that runs from right to left reorders the text next to it, or blanks push it out of sight")
    func apart() async throws {
        let server = try await TestServer.start()
        func said(_ name: String) throws -> String {
            try text(
                WalletOperation(
                    type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 500_00, currency: .euro),
                    payee: Payee(name: name, account: Self.account)), on: server)
        }
        #expect(try said("\u{5D0}\u{5E0}\u{5D4} 9").contains("(\u{2068}\u{5D0}\u{5E0}\u{5D4} 9\u{2069})"))
        #expect(try said("Anna" + String(repeating: " ", count: 100) + "Verna").contains("(Anna Verna)"))
        #expect(try !said("Anna").contains("\u{2068}"))
    }
}
