import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("What messages say")
struct MessageRenderingTests {
    private let server: TestServer

    init() async throws { server = try await TestServer.start() }

    /// Renders a message of a kind as a row would be.
    private func render(
        _ name: String, channel: OutboxChannel, locale: String?, device: String = "Ada’s {code} phone",
        settings: String = "{}"
    ) throws -> MessageRendering.Rendered {
        let context = server.context
        let now = server.clock.now()
        let id = try context.random.timeOrderedID(now)
        var content = JSONObject()
        content.set("to", "ada@example.com")
        if Self.hasCode(name) { content.set("code", "123456") }
        content.set("device", device)
        content.set("service", "Apple")
        if name == "account_pin_set" { content.set("cooling", Self.cooling) }
        if name.hasPrefix("payment_") {
            content.set("type", "TRANSFER")
            content.set("amount_units", "9000")
            content.set("amount_currency", "EUR")
        }
        let record = OutboxRecord(
            id: id, accountID: nil, kind: name, channel: channel,
            sealed: try context.sealing.seal(content.bytes, for: .outbox, context: AuditLog.context(id)),
            createdAt: now,
            dueAt: now, expiresAt: now + .minutes(5), language: locale)
        let account = AccountRecord(id: id, brandID: "default", locale: locale, createdAt: now)
        let brand = BrandRecord(id: "default", name: "Example Bank", settings: settings, createdAt: now)
        return try #require(
            context.rendering.render(record, MessageRendering.Facts(account: account, brand: brand)))
    }

    /// The codes of recoveries and registrations have rows without one.
    private static func hasCode(_ name: String) -> Bool {
        [.code, .newContactCode].contains(MessageCatalog.flows[name]?.advice)
    }

    @Test(
        "What was added to an account says how to remove it, and not to look for devices",
        arguments: [
            ("passkey_added", "remove the passkey under “Passkeys”"), ("identity_joined", "under “How you sign in”"),
            ("totp_added", "remove the authenticator app"), ("recovery_codes_made", "replace the recovery codes"),
        ])
    func removal(kind: String, remedy: String) throws {
        let text = try render(kind, channel: .email, locale: nil).text
        #expect(text.contains(remedy), "\(text)")
        #expect(text.contains("on your account page (https://auth.example.com/account)"), "\(text)")
        #expect(!text.contains("devices"))
    }

    @Test("A mail says where the brand is reached, if the brand says so; an SMS has no room for it")
    func support() throws {
        let settings = "{\"support\":\"mailto:help@bank.example\"}"
        // What goes to phones alone has no room for it either.
        for name in MessageCatalog.flows.names where !name.hasSuffix("_phone") {
            let mail = try render(name, channel: .email, locale: "en", settings: settings).text
            #expect(!mail.contains("ontact Example Bank."), "\(name)")
            let sms = try render(name, channel: .sms, locale: "en", settings: settings).text
            #expect(!sms.contains("help@bank.example"), "\(name)")
        }
        let closed = try render("device_deactivated", channel: .email, locale: "de", settings: settings).text
        #expect(closed.contains("wenden Sie sich an Example Bank (help@bank.example)."))
        let plain = try render("device_deactivated", channel: .email, locale: "de").text
        #expect(plain.contains("wenden Sie sich an Example Bank."))
    }

    @Test("A code to a new address can be ignored; one to the account's own address may mean a known password")
    func mistyped() throws {
        let new = try render("new_email_code", channel: .email, locale: nil).text
        #expect(new.contains("You don't need to do anything."), "\(new)")
        #expect(!new.contains("password"))
        #expect(try render("email_code", channel: .email, locale: nil).text.contains("someone may know your password"))
    }

    @Test(
        "Every message names the brand and the time, in the account's language",
        arguments: ["en", "de-AT", "fr", "es", "bg"])
    func everyKind(_ locale: String) throws {
        var texts: Set<String> = []
        for name in MessageCatalog.flows.names {
            let isCode = Self.hasCode(name)
            let mail = try render(name, channel: .email, locale: locale)
            #expect(mail.text.contains("Example Bank"))
            #expect(mail.text.contains("2027-01-15 08:00 UTC"))
            #expect(mail.text.contains("“Ada’s {code} phone”") || locale != "en")
            #expect(!mail.subject.isEmpty)
            #expect(!mail.subject.contains("{"))
            #expect(mail.text.contains("123456") == isCode)
            texts.insert(mail.text)
            let sms = try render(name, channel: .sms, locale: locale)
            #expect(sms.text.contains("Example Bank"))
            #expect(sms.text.unicodeScalars.count <= 240, "\(name) in \(locale) has \(sms.text.unicodeScalars.count)")
            #expect(!sms.text.contains("Ada’s"))
            #expect(sms.text.contains("\n@auth.example.com #123456") == isCode)
        }
        #expect(texts.count == MessageCatalog.flowKinds.count)
    }

    @Test("No two kinds of message, and no two kinds of event, have the same name")
    func names() {
        #expect(MessageCatalog.flows.names.count == MessageCatalog.flowKinds.count)
        #expect(Set(Administration.eventKinds.map { $0.rawValue }).count == Administration.eventKinds.count)
    }

    @Test("A message of a kind that no flow declares is not rendered")
    func unknown() throws {
        let (context, now) = (server.context, server.clock.now())
        let id = try context.random.timeOrderedID(now)
        let record = OutboxRecord(
            id: id, accountID: nil, kind: "unheard_of",
            sealed: try context.sealing.seal(JSONObject().bytes, for: .outbox, context: AuditLog.context(id)),
            createdAt: now,
            dueAt: now, expiresAt: now + .minutes(5))
        let rendered = context.rendering.render(record, MessageRendering.Facts())
        #expect(rendered?.text == nil)
    }

    private static let cooling = "2027-01-16 08:00 UTC"

    @Test(
        "The message about a new PIN of the account says until when it agrees to no payment, by e-mail and by SMS",
        arguments: ["en", "de-AT", "fr", "es", "bg"])
    func newAccountPIN(_ locale: String) throws {
        for channel in [OutboxChannel.email, .sms] {
            let told = try render("account_pin_set", channel: channel, locale: locale)
            #expect(told.text.contains(Self.cooling))
            #expect(!told.text.contains("{cooling}"))
            let other = try render("account_pin_removed", channel: channel, locale: locale)
            #expect(!other.text.contains("cooling") && !other.text.contains(Self.cooling))
        }
    }

    @Test("Languages differ, and one that is not spoken gets English")
    func languages() throws {
        var subjects: Set<String> = []
        for locale in ["en", "de", "fr", "es", "bg"] {
            subjects.insert(try render("password_changed", channel: .email, locale: locale).subject)
        }
        #expect(subjects.count == 5)
        let other = try render("password_changed", channel: .email, locale: "ja")
        #expect(other.subject == "Your password was changed")
        let none = try render("password_changed", channel: .email, locale: nil)
        #expect(none.subject == "Your password was changed")
    }

    @Test("A code says how long it is valid, and that staff never ask for it")
    func code() throws {
        let mail = try render("second_factor_code", channel: .email, locale: "en")
        #expect(mail.code == "123456")
        #expect(mail.text.contains("\n123456\n"))
        #expect(mail.text.contains("5 minutes"))
        #expect(mail.text.contains("never ask"))
    }
}
