import Testing
import WalletAuthWire

@Suite("Accept-Language") struct AcceptLanguageTests {
    @Test(
        "Languages come in the order of their weights, and of the list where these are equal",
        arguments: [
            ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", ["fr-CH", "fr", "en", "de"]),
            ("en;q=0.1,de;q=0.9", ["de", "en"]), ("es, bg, de", ["es", "bg", "de"]), ("DE-at", ["de-AT"]),
            ("de;q=0, es", ["es"]), ("de;q=7, es;q=0.1", ["de", "es"]), (" en ; q = 0.5 ,\tfr", ["fr", "en"]),
        ] as [(String, [String])])
    func order(field: String, expected: [String]) {
        #expect(AcceptLanguage(field).tags.map(\.rawValue) == expected)
    }

    @Test("What is malformed is passed over", arguments: ["", ";;;q=,q", "*", "<script>", "d", ",,,", "q=1", "\u{0}"])
    func malformed(field: String) {
        #expect(AcceptLanguage(field).tags.isEmpty)
    }

    @Test("A field without end is cut")
    func endless() {
        let field = String(repeating: "en,", count: 100_000) + "de"
        #expect(AcceptLanguage(field).tags.count == 32)
    }

    @Test("The first language that is spoken is chosen by its primary subtag")
    func choice() {
        let field = AcceptLanguage("zh-Hant-TW, de-AT;q=0.8, en;q=0.9")
        #expect(field.first(of: ["de", "en"]) == "en")
        #expect(field.first(of: ["de"]) == "de")
        #expect(field.first(of: ["bg"]) == nil)
    }
}
