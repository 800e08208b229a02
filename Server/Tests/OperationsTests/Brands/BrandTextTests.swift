import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("A brand's own texts, by command")
struct BrandTextTests {
    private let server: TestServer

    init() async throws { server = try await TestServer.start() }

    private func run(_ words: String...) async -> AdministrationAnswer {
        await server.flows.administration.execute(AdminRequest(["brand", "text", "default"] + words))
    }

    @Test("A text is set, shown, listed and removed again by the same command, and the audit log has both changes")
    func roundTrip() async throws {
        let key = ["--language", "de", "--key", "pages.signInHeading"]
        #expect(await run().lines == ["Brand default has no texts of its own."])
        let set = await run(key[0], key[1], key[2], key[3], "--text", "Willkommen")
        #expect(set.lines == ["Text pages.signInHeading of brand default set in de."])
        let shown = try await run(key[0], key[1], key[2], key[3]).document()
        #expect(shown["text"]?.string == "Willkommen")
        #expect(shown["programText"]?.string == Language.german.texts(ofSection: "pages")["signInHeading"])
        #expect(await run().lines.last?.hasSuffix("Willkommen") == true)
        // Other changes of the brand leave it.
        try await server.administer(["brand", "update", "default", "--name", "Blue"])
        #expect(await run().lines.count == 2)
        #expect(await run(key[0], key[1], key[2], key[3], "--remove").status == .done)
        #expect(await run().lines == ["Brand default has no texts of its own."])
        let log = await server.flows.administration.execute(["audit", "tail", "--kind", "brand.changed"])
        #expect(try log.document()["entries"]?.array?.count == 3)
    }

    @Test(
        "What the rule refuses is refused with a sentence, and nothing is stored",
        arguments: [
            ["--language", "de", "--key", "pages.signInLead", "--text", "weiter"],
            ["--language", "de", "--key", "pages.signInHeading", "--text", "<b>Hallo</b>"],
            ["--language", "de", "--key", "pages.unknownClient", "--text", "Hallo"],
            ["--language", "de", "--key", "pages.nothing", "--text", "Hallo"],
            ["--language", "it", "--key", "pages.signInHeading", "--text", "Ciao"],
            ["--language", "de", "--key", "pages.signInHeading", "--text", "Hallo", "--remove"],
            ["--language", "de", "--key", "pages.signInHeading", "--remove"],
            ["--language", "de", "--key", "pages.nothing"],
            ["--key", "pages.signInHeading", "--text", "Hallo"], ["--text", "Hallo"], ["--remove"],
        ])
    func refused(words: [String]) async {
        let request = AdminRequest(["brand", "text", "default"] + words)
        let answer = await server.flows.administration.execute(request)
        #expect(answer.status == .refused)
        #expect(answer.lines.count == 1)
        #expect(await run().lines == ["Brand default has no texts of its own."])
    }

    @Test(
        "A mistyped key is refused with the names that are near, and with the command that lists all",
        arguments: [
            ("pages.signInHeadng", "pages.signInHeading"), ("pages.signinheading", "pages.signInHeading"),
            ("signInHeading", "pages.signInHeading"), ("page.signInHeading", "pages.signInHeading"),
        ])
    func near(typed: String, meant: String) async {
        let answer = await run("--language", "de", "--key", typed, "--text", "Hallo")
        #expect(answer.lines.first?.contains(" Did you mean \(meant)?") == true, "\(answer.lines)")
        #expect(answer.lines.first?.contains("`walletauth brand text default --all`") == true)
        #expect(answer.lines.first?.contains("Resources") == false)
    }

    @Test("All texts are listed with those that the brand has in their place, and each of the names is accepted")
    func all() async throws {
        #expect(
            await run("--language", "de", "--key", "pages.signInHeading", "--text", "Willkommen").status == .done)
        let listed = try await run("--all", "--language", "de").document()
        let texts = (listed["texts"]?.array ?? []).compactMap(\.object)
        #expect(texts.count > 100)
        #expect(texts.compactMap { $0["text"]?.string } == ["Willkommen"])
        for name in texts.compactMap({ $0["key"]?.string }) {
            #expect(await run("--language", "de", "--key", name).status == .done, "\(name)")
        }
        #expect(await run("--all", "--key", "pages.signInHeading", "--language", "de").status == .refused)
    }

    @Test("There is no text of a brand that does not exist")
    func unknownBrand() async {
        for words in [[], ["--language", "de", "--key", "pages.signInHeading", "--text", "Hallo"]] {
            let request = AdminRequest(["brand", "text", "none"] + words)
            #expect(await server.flows.administration.execute(request).status == .refused)
        }
    }

    @Test("An e-mail is in the words of the account's brand, and only in its language")
    func mail() async throws {
        _ = await run("--language", "de", "--key", "messages.email_code.subject", "--text", "Ihr Code von Blue")
        let brand = try await server.context.database.read { try Brands.find("default", on: $0) }
        let (context, now) = (server.context, server.clock.now())
        let id = try context.random.timeOrderedID(now)
        let content = JSONObject(strings: ["to": "ada@example.com", "code": "123456"])
        var record = OutboxRecord(
            id: id, accountID: nil, kind: "email_code", channel: .email,
            sealed: try context.sealing.seal(content.bytes, for: .outbox, context: AuditLog.context(id)),
            createdAt: now,
            dueAt: now, expiresAt: now + .minutes(5))
        for (locale, expected) in [("de", "Ihr Code von Blue"), ("en", "Confirm your e-mail address")] {
            let account = AccountRecord(id: id, brandID: "default", locale: locale, createdAt: now)
            record.language = locale
            let rendered = context.rendering.render(record, MessageRendering.Facts(account: account, brand: brand))
            #expect(rendered?.subject == expected)
        }
    }
}
