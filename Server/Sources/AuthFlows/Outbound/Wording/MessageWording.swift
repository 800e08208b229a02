internal import AuthCore

/// Everything that messages say, in one language. A kind that a translation lacks does not compile.
///
/// `{brand}`, `{time}`, `{device}`, `{code}`, `{minutes}`, `{cooling}`, `{service}`, `{operation}`, `{amount}`, `{payee}` and `{payee_account}` stand for what ``MessageRendering`` puts in.
struct MessageWording: Sendable {
    /// A subject, and what happened in one sentence or two; the sentence is an SMS's as well.
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
    /// Until when a new PIN agrees to no payment.
    let cooling: String
    let codeLife: String
    let codeAdvice: String
    let recoveryAdvice: String
    let protectAdvice: String
    let askAdvice: String
    /// What to do about an operation that was refused, by who began it.
    let refusalAdvice: String
    let footer: String
    /// What is paid, to whom. The account stands before the name, which is the choice of whoever wants the money: a phone's lock
    /// screen shows the beginning.
    let payment: String
    /// That the payments of a series need no further consent.
    let series: String
    /// That no payment to a payee needs consent any more.
    let trust: String
    /// That payments to a payee need consent again.
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
