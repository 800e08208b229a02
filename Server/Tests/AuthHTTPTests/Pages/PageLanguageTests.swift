import Core
import Testing

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
        "A duration is in seconds, minutes or hours, as people say it",
        arguments: [
            (Duration.seconds(10), "10 seconds"), (.seconds(90), "90 seconds"), (.seconds(91), "2 minutes"),
            (.hours(1), "60 minutes"), (.hours(24), "24 hours"), (.seconds(86_401), "25 hours"),
        ] as [(Duration, String)])
    func spans(duration: Duration, expected: String) {
        #expect(Language.english.text.span(duration) == unbroken(expected))
        for language in Language.allCases { #expect(!language.text.span(duration).contains("{")) }
    }

    @Test(
        "A date is written as the language writes it, and no line breaks in it",
        arguments: [
            (Language.english, "23 November 2026", "1 March 2027"), (.german, "23. November 2026", "1. März 2027"),
            (.french, "23 novembre 2026", "1er mars 2027"),
            (.spanish, "23 de noviembre de 2026", "1 de marzo de 2027"),
            (.bulgarian, "23 ноември 2026 г.", "1 март 2027 г."),
        ] as [(Language, String, String)])
    func dates(language: Language, lastSecond: String, firstSecond: String) {
        let (last, first) = (unbroken(lastSecond), unbroken(firstSecond))
        #expect(language.day(of: Timestamp(seconds: 1_795_478_399)) == last)
        #expect(language.day(of: Timestamp(seconds: 1_803_859_200)) == first)
        #expect(language.moment(of: Timestamp(seconds: 1_795_478_399)) == last + ", " + unbroken("23:59 UTC"))
        #expect(language.moment(of: Timestamp(seconds: 1_803_859_200)) == first + ", " + unbroken("00:00 UTC"))
    }

    @Test(
        "A time is in the page's zone, with the offset that it had then, and in UTC without one",
        arguments: [
            ("Europe/Sofia", 1_795_478_399, "24 November 2026", "01:59 UTC+2"),
            ("Europe/Sofia", 1_782_864_000, "1 July 2026", "03:00 UTC+3"),
            ("America/St_Johns", 1_795_478_399, "23 November 2026", "20:29 UTC\u{2212}3:30"),
            ("Asia/Kolkata", 1_795_478_399, "24 November 2026", "05:29 UTC+5:30"),
            ("UTC", 1_795_478_399, "23 November 2026", "23:59 UTC"),
            ("Etc/GMT-14", 1_795_478_399, "24 November 2026", "13:59 UTC+14"),
        ] as [(String, Int64, String, String)])
    func zones(name: String, seconds: Int64, day: String, clock: String) throws {
        let zone = try #require(PageZone(name[...]))
        let time = Timestamp(seconds: seconds)
        PageZone.$current.withValue(zone) {
            #expect(Language.english.day(of: time) == unbroken(day))
            #expect(Language.english.moment(of: time) == "\(unbroken(day)), \(unbroken(clock))")
        }
    }

    @Test(
        "What names no zone is ignored",
        arguments: [
            "", "Nowhere/Land", "../../etc/passwd", "Europe/Sofia;x", "<b>", String(repeating: "A", count: 65),
            "GMT+0530", "UTC-1159",
        ])
    func unknownZone(name: String) {
        #expect(PageZone(name[...]) == nil)
    }

    private func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

    @Test("A duration on a page has no line break between its number and its unit", arguments: Language.allCases)
    func durations(language: Language) {
        // An SMS has no room for such a space, which is not in its alphabet.
        for (section, texts) in TextCatalog.of(language).sections where !section.hasPrefix("message") {
            for (key, text) in texts {
                #expect(
                    !text.contains(/(?:\{(?:minutes|seconds)\}|[0-9]+) (?:min|sec|seg|Min|Sek|мин|сек)/),
                    "\(section).\(key)")
            }
        }
    }

    @Test(
        "A wait is in seconds while it is short, and in minutes, rounded up, once it is long",
        arguments: [
            (0, "2 seconds"), (30, "30 seconds"), (90, "90 seconds"), (91, "2 minutes"), (480, "8 minutes"),
            (481, "9 minutes"), (3600, "60 minutes"),
        ] as [(Int64, String)])
    func waits(seconds: Int64, expected: String) {
        let wait = unbroken(expected)
        let english = Language.english.text[.tooManyAttempts, waiting: seconds]
        #expect(english == "Too many attempts. Wait \(wait) and try again.")
        for language in Language.allCases {
            for key in [PageText.codeSentRecently, .tooManyAttempts, .busy] {
                let sentence = language.text[key, waiting: seconds]
                #expect(sentence.contains(expected.prefix { $0.isNumber }) && !sentence.contains("{"), "\(sentence)")
            }
        }
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
