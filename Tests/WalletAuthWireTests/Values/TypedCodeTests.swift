import Testing
import WalletAuthWire

@Suite("Codes as people type them", .covers("a code or an account PIN is refused for spaces"))
struct TypedCodeTests {
    @Test(
        "Digits of any script count, and spaces, dashes and invisible characters do not",
        arguments: [
            "123456", "123 456", " 123456\t", "123\u{A0}456", "123-456", "123\u{2013}456", "123\u{2212}456", "123456\n",
            "\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}", "\u{FF11}\u{FF12}\u{FF13}\u{3000}456",
            "\u{200F}123456\u{200B}", "1\u{200D}23456",
        ])
    func typed(text: String) throws {
        #expect(TypedCode.normalized(text) == "123456")
        #expect(TypedCode.isPossible(text, digits: 6))
        #expect(try EmailCode(text).reveal() == "123456")
        #expect(try OneTimeCode(text).reveal() == "123456")
    }

    @Test(
        "Other text does not become a code",
        arguments: ["", "12ab", "1.2", "12345\u{B2}", "12345\u{2460}", "12_345"])
    func noCode(text: String) {
        #expect(!TypedCode.isPossible(text))
    }

    @Test("Letters stay, and full-width ones are narrow")
    func letters() {
        #expect(TypedCode.normalized("abcd\u{2013}\u{FF25}F") == "abcdEF")
    }
}
