import Foundation
import Testing
import WalletAuth
import WalletAuthWire

@testable import WalletAuthUI

@Suite("What the screens say")
struct ScreenTextsTests {
    @Test("Every label has a text in every language, and an app replaces it by its key")
    func labels() {
        for language in UserErrorMessages.builtInLanguages {
            let texts = ScreenTexts(messages: .builtIn, languages: [language])
            for label in ScreenLabel.allCases { #expect(texts(label) != label.rawValue, "\(label) in \(language)") }
            #expect(texts(.payBiometrics, ["amount": "€5", "payee": "Huber"]).contains("€5"))
            #expect(texts.attempts(4)?.contains("4") == true)
            #expect(texts.attempts(1) != texts.attempts(4))
            #expect(texts.attempts(nil) == nil)
        }
        var messages = UserErrorMessages()
        messages.replace("screen.sign_in", in: "en", with: "Enter")
        #expect(ScreenTexts(messages: messages, languages: ["en"])(.signIn) == "Enter")
    }

    @Test("No text of a screen is written in vain")
    func used() throws {
        let written = try #require(UserErrorMessages.shipped(in: "en")).keys.map(\.rawValue)
            .filter { $0.hasPrefix("screen.") }
        #expect(Set(written).subtracting(ScreenLabel.allCases.map(\.rawValue)).isEmpty)
    }

    @Test(
        "An amount has the decimals of its currency and the marks of the locale",
        arguments: [
            (1250, "EUR", "de_DE", "12,50\u{A0}€"), (1250, "EUR", "en_US", "€12.50"), (1250, "JPY", "en_US", "¥1,250"),
            (1_250_000, "KWD", "en_US", "KWD\u{A0}1,250.000"),
        ])
    func amounts(units: Int64, currency: String, locale: String, text: String) throws {
        let money = try Money(minorUnits: units, currency: Currency(currency))
        #expect(money.written(in: Locale(identifier: locale)) == text)
    }

    @Test("An IBAN is written in fours, and any other account as it is")
    func accounts() throws {
        #expect(
            try Payee(name: "Huber", account: "DE02120300000000202051").accountInGroups == "DE02 1203 0000 0000 2020 51"
        )
        #expect(try Payee(name: "Huber", account: "card-4711").accountInGroups == "card-4711")
        #expect(try Payee(name: "Huber", account: "DE00120300000000202051").accountInGroups == "DE00120300000000202051")
    }
}
