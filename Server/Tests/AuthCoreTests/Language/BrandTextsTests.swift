import Core
import Foundation
import Testing
import WalletAuthWire

@Suite("A brand's own texts", .threat("a misleading text of a brand"))
struct BrandTextsTests {
    @Test("A text replaces the catalog's in its language only, until it is removed")
    func replaced() throws {
        let name = try TextName("pages.signInLead")
        var texts = BrandTexts()
        try texts.set("um bei {client} einzukaufen", for: name, in: .german)
        #expect(BrandLanguage(.german, texts).texts(ofSection: "pages")["signInLead"] == "um bei {client} einzukaufen")
        #expect(
            texts.all.map { "\($0.language) \($0.name): \($0.text)" } == [
                "german pages.signInLead: um bei {client} einzukaufen"
            ])
        for other in [
            BrandLanguage(.english, texts), BrandLanguage(.german, nil), BrandLanguage(.german, BrandTexts()),
        ] {
            #expect(other.texts(ofSection: "pages") == TextCatalog.of(other.language).sections["pages"])
        }
        #expect(
            BrandLanguage(.german, texts).texts(ofSection: "pages")["signInHeading"]
                == Language.german.texts(ofSection: "pages")["signInHeading"])
        texts.remove(name, in: .german)
        #expect(texts.isEmpty)
    }

    @Test("Each of the program's own texts could be set", arguments: Language.allCases)
    func own(language: Language) throws {
        var texts = BrandTexts()
        for (section, keys) in TextCatalog.of(language).sections {
            for (key, text) in keys {
                let name = try TextName("\(section).\(key)")
                guard (try? name.requireReplaceable()) != nil else { continue }
                try texts.set(text, for: name, in: language)
                #expect(texts[name, language] == text)
            }
        }
        #expect(texts.all.count > 300)
    }

    @Test(
        "A key that is none, or that is the same for all brands, is refused",
        arguments: [
            "signInLead", "pages", "pages.", ".signInLead", "pages.signInlead", "pages.signInLead.x", "",
            "operations.PAYMENT",
            "months.may", "secretQuestions.first_pet", "transactions.lead", "sandbox.lead", "console.heading",
            "consoleEvents.accountErased", "consoleMembers.device", "scopes.", "scopes.a b",
            "scopes.é",
            "scopes.openid", "scopes.offline_access",
        ])
    func unknownKeys(key: String) {
        #expect(throws: MalformedValue.self) { try TextName(key).requireReplaceable() }
    }

    @Test("A brand describes its operator's own scopes in its texts, even a scope with dots")
    func scopes() throws {
        var texts = BrandTexts()
        let name = try TextName("scopes.loyalty.read")
        try texts.set("See your points", for: name, in: .english)
        #expect(BrandLanguage(.english, texts).texts(ofSection: TextName.scopes) == ["loyalty.read": "See your points"])
        #expect(texts.all.map(\.name.description) == ["scopes.loyalty.read"])
        let kept = try JSONDecoder().decode(BrandTexts.self, from: JSONEncoder().encode(texts))
        #expect(kept == texts)
        for text in ["", "<b>all</b>", "See {points}", String(repeating: "o", count: 121)] {
            #expect(throws: MalformedValue.self) { try texts.set(text, for: name, in: .english) }
        }
        texts.remove(name, in: .english)
        #expect(texts.isEmpty)
    }

    @Test(
        "A text that says less than the one it replaces, or more, is refused with what to do",
        arguments: [
            ("pages.signInLead", "to continue", "lacks {client}: keep each placeholder of “to continue to {client}”"),
            ("pages.signInLead", "to {client}, {brand}", "belongs to no placeholder"),
            ("pages.signInLead", "to {client} {", "belongs to no placeholder"),
            ("pages.signInLead", "to {{client}}", "belongs to no placeholder"),
            ("pages.signInHeading", "Hello {user}", "has no placeholder"),
            ("messageParts.payment", "{amount} to {payee}", "lacks {payee_account}"),
            ("messageParts.payment", "{payee}: {amount} to {payee_account}", "changes the order"),
            ("clientConsent.heading", "Allow access?", "lacks {client}"),
            ("account.deviceCodeHeading", "Confirm your device", "lacks {device}"),
            ("messages.new_device.body", "Someone signed in.", "lacks {brand}"),
            ("consent.detailLabel", "{name}", "nothing but placeholders: say what they are"),
            ("account.deviceCodeHeading", "“{device}”?", "nothing but placeholders"),
            ("pages.submitLabel", "", "is empty"), ("pages.submitLabel", " Go", "remove the space"),
            ("pages.submitLabel", String(repeating: "o", count: 48), "at most 47 characters"),
        ])
    func unlike(key: String, text: String, reason: String) throws {
        try refuse(text, for: key, because: reason)
    }

    @Test(
        "Markup and invisible characters are refused (XSS, reordered text)",
        arguments: [
            "<b>Go</b>", "<\u{338}script>", "Go&nbsp;", "a`b", "Go\u{202E}", "Go\nnow", "Go\u{200B}now", "Go\u{0}",
            "G\u{2028}o",
        ])
    func markup(text: String) throws {
        try refuse(text, for: "pages.submitLabel", because: "")
    }

    @Test("A stored text that the program would refuse today is listed, and the program's own is shown")
    func outdated() throws {
        let stored =
            #"{"en":{"pages":{"signInLead":"to go on","gone":"x","submitLabel":"Go"},"operations":{"PAYMENT":"Gift"}}}"#
        var texts = try JSONDecoder().decode(BrandTexts.self, from: Data(stored.utf8))
        #expect(texts.all.count == 4)
        let english = Language.english.texts(ofSection: "pages")
        let shown = BrandLanguage(.english, texts).texts(ofSection: "pages")
        #expect(shown.filter { english[$0.key] != $0.value } == ["submitLabel": "Go"])
        #expect(BrandLanguage(.english, texts).texts(ofSection: "operations")["PAYMENT"] != "Gift")
        texts.remove(try TextName("pages.gone"), in: .english)
        let kept = try JSONDecoder().decode(BrandTexts.self, from: JSONEncoder().encode(texts))
        #expect(kept == texts && kept.all.count == 3)
    }

    private func refuse(_ text: String, for key: String, because reason: String) throws {
        var texts = BrandTexts()
        let name = try TextName(key)
        let fault = #expect(throws: MalformedValue.self) { try texts.set(text, for: name, in: .english) }
        #expect(fault.map { "\($0)".contains(reason) } ?? false || reason.isEmpty, "\(String(describing: fault))")
        #expect(texts.isEmpty)
    }
}
