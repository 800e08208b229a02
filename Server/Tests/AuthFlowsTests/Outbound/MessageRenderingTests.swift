import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("What messages say")
struct MessageRenderingTests {
    /// Renders a message of a kind as a row would be.
    private func render(
        _ kind: MessageKind, channel: OutboxChannel, locale: String?, device: String = "Ada’s {code} phone"
    ) async throws -> MessageRendering.Rendered {
        let server = try await TestServer.start()
        let context = server.context
        let now = server.clock.now()
        let id = try context.timeOrderedID(now)
        var content = JSONObject()
        content.set("to", "ada@example.com")
        if kind.advice == .code { content.set("code", "123456") }
        content.set("device", device)
        content.set("service", "Apple")
        if kind == .accountPINSet { content.set("cooling", Self.cooling) }
        let record = OutboxRecord(
            id: id, accountID: nil, kind: kind.rawValue, channel: channel,
            sealed: try context.seal(content.bytes, for: .outbox, context: AuditLog.context(id)), createdAt: now,
            dueAt: now, expiresAt: now + .minutes(5))
        let account = AccountRecord(id: id, brandID: "default", locale: locale, createdAt: now)
        let brand = BrandRecord(id: "default", name: "Example Bank", settings: "{}", createdAt: now)
        return try #require(
            MessageRendering(context: context).render(record, MessageRendering.Facts(account: account, brand: brand)))
    }

    @Test(
        "Every message names the brand and the time, in the account's language",
        arguments: ["en", "de-AT", "fr", "es", "bg"])
    func everyKind(_ locale: String) async throws {
        var texts: Set<String> = []
        for kind in MessageKind.allCases {
            let mail = try await render(kind, channel: .email, locale: locale)
            #expect(mail.text.contains("Example Bank"))
            #expect(mail.text.contains("2027-01-15 08:00 UTC"))
            #expect(mail.text.contains("“Ada’s {code} phone”") || locale != "en")
            #expect(!mail.subject.isEmpty)
            #expect(!mail.subject.contains("{"))
            #expect(mail.text.contains("123456") == (kind.advice == .code))
            texts.insert(mail.text)
            let sms = try await render(kind, channel: .sms, locale: locale)
            #expect(sms.text.contains("Example Bank"))
            #expect(sms.text.unicodeScalars.count <= 240, "\(kind) in \(locale) has \(sms.text.unicodeScalars.count)")
            #expect(!sms.text.contains("phone"))
            #expect(sms.text.contains("\n@auth.example.com #123456") == (kind.advice == .code))
        }
        #expect(texts.count == MessageKind.allCases.count)
    }

    private static let cooling = "2027-01-16 08:00 UTC"

    @Test(
        "The message about a new PIN of the account says until when it agrees to no payment, by e-mail and by SMS",
        arguments: ["en", "de-AT", "fr", "es", "bg"])
    func newAccountPIN(_ locale: String) async throws {
        for channel in [OutboxChannel.email, .sms] {
            let told = try await render(.accountPINSet, channel: channel, locale: locale)
            #expect(told.text.contains(Self.cooling))
            #expect(!told.text.contains("{cooling}"))
            let other = try await render(.accountPINRemoved, channel: channel, locale: locale)
            #expect(!other.text.contains("cooling") && !other.text.contains(Self.cooling))
        }
    }

    @Test("Languages differ, and one that is not spoken gets English")
    func languages() async throws {
        var subjects: Set<String> = []
        for locale in ["en", "de", "fr", "es", "bg"] {
            subjects.insert(try await render(.passwordChanged, channel: .email, locale: locale).subject)
        }
        #expect(subjects.count == 5)
        let other = try await render(.passwordChanged, channel: .email, locale: "ja")
        #expect(other.subject == "Your password was changed")
        let none = try await render(.passwordChanged, channel: .email, locale: nil)
        #expect(none.subject == "Your password was changed")
    }

    @Test("A code says how long it is valid, and that staff never ask for it")
    func code() async throws {
        let mail = try await render(.secondFactorCode, channel: .email, locale: "en")
        #expect(mail.code == "123456")
        #expect(mail.text.contains("\n123456\n"))
        #expect(mail.text.contains("5 minutes"))
        #expect(mail.text.contains("never ask"))
    }
}
