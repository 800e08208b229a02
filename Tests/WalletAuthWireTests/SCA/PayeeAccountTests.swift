import Testing
import WalletAuthWire

@Suite("Payee accounts as they are compared")
struct PayeeAccountTests {
    private static let iban = PayeeAccount("DE02120300000000202051")

    @Test(
        "An IBAN is the same with any blanks, in capital and small letters",
        arguments: ["DE02 1203 0000 0000 2020 51", "de02120300000000202051", "DE02\u{A0}1203\u{202F}0000 0000 2020 51"])
    func sameIBAN(text: String) {
        #expect(PayeeAccount(text) == Self.iban)
        #expect(PayeeAccount(text).looksLike(Self.iban))
    }

    @Test(
        "attack: an account that looks like another one is not the same, and is taken off the list with it",
        arguments: [
            ("DE02120300000000202051", "DE02\u{200D}120300000000202051"),
            ("DE02120300000000202051", "de02 1203\u{200C} 0000 0000 2020 51"),
            ("DE02120300000000202051", "DE021203000000002020\u{FE0F}51"),
            ("wallet-Zo\u{EB}", "wallet-Zoe\u{308}"), ("wallet-1", "wallet\u{200D}-1\u{FE0E}"),
        ])
    func lookalike(one: String, other: String) {
        #expect(PayeeAccount(one) != PayeeAccount(other))
        #expect(PayeeAccount(one).looksLike(PayeeAccount(other)))
        #expect(PayeeAccount(other).looksLike(PayeeAccount(one)))
    }

    @Test(
        "Accounts that differ in a letter, or by case where case counts, do not look the same",
        arguments: [("ab12QxYz9", "AB12QXYZ9"), ("DE02120300000000202051", "DE02120300000000202052"), ("a-b", "ab")])
    func apart(one: String, other: String) {
        #expect(PayeeAccount(one) != PayeeAccount(other))
        #expect(!PayeeAccount(one).looksLike(PayeeAccount(other)))
    }
}
