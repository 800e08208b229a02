import Core
import Testing

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite("The language of a page")
struct PageLanguageTests {
    @Test(
        "ui_locales decide before Accept-Language, in their order",
        arguments: [
            (["de-AT"], "fr", Language.german), (["zh", "bg"], "fr", .bulgarian), (["xx"], "es;q=0.5", .spanish),
            ([], "fr-CH, fr;q=0.9, en;q=0.8", .french), ([], "en;q=0.1, de;q=0.9", .german),
            ([], "de;q=0, es", .spanish),
            ([], "*", .english), ([], ";;;q=,q", .english), (["DE"], nil, .german), ([], nil, .english),
            ([], "de;q=7, es;q=0.1", .german),
        ] as [([String], String?, Language)])
    func choice(locales: [String], header: String?, expected: Language) {
        #expect(Language.choose(locales: locales, acceptLanguage: header) == expected)
    }

    @Test(
        "A date is written as the language writes it",
        arguments: [
            (Language.english, "23 November 2026", "1 March 2027"), (.german, "23. November 2026", "1. März 2027"),
            (.french, "23 novembre 2026", "1er mars 2027"),
            (.spanish, "23 de noviembre de 2026", "1 de marzo de 2027"),
            (.bulgarian, "23 ноември 2026 г.", "1 март 2027 г."),
        ] as [(Language, String, String)])
    func dates(language: Language, lastSecond: String, firstSecond: String) {
        #expect(language.day(of: Timestamp(seconds: 1_795_478_399)) == lastSecond)
        #expect(language.day(of: Timestamp(seconds: 1_803_859_200)) == firstSecond)
        #expect(language.moment(of: Timestamp(seconds: 1_795_478_399)) == lastSecond + ", 23:59 UTC")
        #expect(language.moment(of: Timestamp(seconds: 1_803_859_200)) == firstSecond + ", 00:00 UTC")
    }

    @Test(
        "A domain breaks between its labels only, and an amount or a sentence nowhere else",
        arguments: [
            ("Zurück zu shop.example.com.", ["Zurück zu shop", ".example", ".com."]),
            ("https://a.example:8443", ["https://a", ".example:8443"]), ("1.250,00 €. Ok.", ["1.250,00 €. Ok."]),
            ("An m…@example.com. b.example", ["An m…@example.com. b", ".example"]), ("127.0.0.1", ["127.0.0.1"]),
            ("", [""]),
        ])
    func domains(text: String, pieces: [String]) {
        let line = LineValues(text)
        #expect([line.first] + line.rest == pieces)
    }

    @Test("A masked address stays on one line: no place in it ends one")
    func unbrokenAddresses() {
        #expect(PageText.unbroken("n…@my-shop.example") == "n…\u{2060}@my-\u{2060}shop.example")
        #expect(PageText.unbroken("…42") == "…\u{2060}42")
    }
}
