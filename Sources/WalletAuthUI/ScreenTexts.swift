import Foundation
import WalletAuth

/// The texts of the screens in the person's languages. The app replaces one by its key, as it does the text of an error.
struct ScreenTexts: Sendable {
    let messages: UserErrorMessages
    let languages: [String]

    /// A label, with its placeholders filled.
    func callAsFunction(_ label: ScreenLabel, _ values: [String: String] = [:]) -> String {
        let text = messages.text(UserErrorMessages.Key(rawValue: label.rawValue), languages: languages)
        return values.reduce(text ?? label.rawValue) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    func text(of error: WalletError) -> String? { messages.text(for: error, languages: languages) }

    /// The text of an error's code, whatever the operation was.
    func text(of code: WalletError.Code) -> String? { messages.text(.init(code), languages: languages) }

    func text(ofSignOut reason: WalletError.SignOutReason) -> String? {
        text(of: WalletError(.signedOut, .signedOut(reason), during: .restore, reason: "no one is signed in"))
    }

    func attempts(_ count: Int?) -> String? {
        count.map { $0 == 1 ? self(.oneAttemptLeft) : self(.attemptsLeft, ["count": String($0)]) }
    }
}
