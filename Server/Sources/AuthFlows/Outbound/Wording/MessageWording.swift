internal import AuthCore

/// All message texts in one language. A missing translation does not compile.
///
/// ``MessageRendering`` fills the placeholders `{brand}`, `{time}`, `{device}`, `{code}`, `{minutes}`, `{cooling}`, `{service}`,
/// `{operation}`, `{amount}`, `{payee}` and `{payee_account}`.
struct MessageWording: Sendable {
    /// A subject, and what happened in a sentence or two. The body is also the beginning of an SMS.
    struct Text: Sendable {
        let subject: String
        let body: String

        init(_ subject: String, _ body: String) {
            self.subject = subject
            self.body = body
        }
    }

    let time: String
    let device: String
    /// How long a new PIN cannot approve payments.
    let cooling: String
    let codeLife: String
    let codeAdvice: String
    let recoveryAdvice: String
    let protectAdvice: String
    let askAdvice: String
    /// What to do about a refused operation, depending on who started it.
    let refusalAdvice: String
    let footer: String
    /// The amount and the payee. The account comes before the name, because the payee chose the name and a phone's lock screen
    /// shows only the beginning.
    let payment: String
    /// States that the payments of a series need no further consent.
    let series: String
    /// States that payments to a payee no longer need consent.
    let trust: String
    /// States that payments to a payee need consent again.
    let distrust: String
    let smsCode: String
    let smsProtectAdvice: String
    let smsAskAdvice: String
    let text: @Sendable (MessageKind) -> Text

    static func of(_ language: SecretQuestion.Language) -> MessageWording {
        switch language {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
