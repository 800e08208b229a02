import Foundation
import WalletAuth

/// The texts of the screens in the person's languages. The app replaces one by its key, as it does the text of an error.
struct ScreenTexts: Sendable {
    let messages: UserErrorMessages
    let languages: [String]

    /// A label, with its placeholders filled.
    func callAsFunction(_ label: ScreenLabel, _ values: [String: String] = [:]) -> String {
        let text = messages.text(UserErrorMessages.Key(rawValue: label.rawValue), languages: languages)
        var rest = (text ?? label.rawValue)[...]
        var filled = ""
        // Once from front to back: a payee may be named like a placeholder.
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            filled += rest[..<open] + (values[name] ?? "{\(name)}")
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
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

extension WalletError {
    /// Whether the same call may succeed later.
    var isTemporary: Bool {
        switch outcome {
        case .offline, .temporarilyUnavailable: true
        default: false
        }
    }
}
