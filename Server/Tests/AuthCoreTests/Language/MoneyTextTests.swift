import Core
import Testing
import WalletAuthWire

@Suite("Amounts for people", .article("5(1)(a) the payer sees"))
struct MoneyTextTests {
    @Test(
        "An amount is written as the language writes it, with the decimals of its currency",
        arguments: [
            (.english, "EUR", 250_00, "€250.00"), (.english, "EUR", 1_234_567_89, "€1,234,567.89"),
            (.english, "KWD", 1_250_000, "KWD 1,250.000"), (.english, "JPY", 1250, "JPY 1,250"),
            (.german, "EUR", 250_00, "250,00 €"), (.german, "EUR", 1_234_567_89, "1.234.567,89 €"),
            (.german, "KWD", 1_250_000, "1.250,000 KWD"), (.german, "JPY", 1250, "1.250 JPY"),
            (.german, "CLF", 1, "0,0001 CLF"), (.german, "USD", 5, "0,05 USD"), (.german, "EUR", 0, "0,00 €"),
            (.french, "EUR", 1_250_00, "1 250,00 €"), (.french, "CHF", 999_99, "999,99 CHF"),
            (.spanish, "EUR", 1_250_00, "1.250,00 €"), (.spanish, "KWD", 1, "0,001 KWD"),
            (.bulgarian, "EUR", 1_250_00, "1 250,00 €"), (.bulgarian, "JPY", 100_000, "100 000 JPY"),
        ] as [(Language, String, Int64, String)])
    func text(language: Language, currency: String, units: Int64, text: String) throws {
        let money = try Money(minorUnits: units, currency: Currency(currency))
        #expect(money.text(in: language) == text.replacing(" ", with: "\u{A0}"))
    }

    @Test("The largest amount is grouped to its end, in every language", arguments: Language.allCases)
    func largest(language: Language) throws {
        let text = try Money(minorUnits: Money.maximumMinorUnits, currency: Currency("JPY")).text(in: language)
        #expect(text.filter(\.isNumber) == "1000000000000000")
        #expect(text.split { !$0.isNumber }.map(\.count) == [1, 3, 3, 3, 3, 3])
    }

    @Test("A message has a plain space before the currency, and none that breaks within the number")
    func gap() throws {
        let money = try Money(minorUnits: 1_250_00, currency: .euro)
        #expect(money.text(in: .german, gap: " ") == "1.250,00 €")
        #expect(money.text(in: .french, gap: " ") == "1\u{A0}250,00 €")
    }
}
