package import AuthCore

/// The texts of one kind of message. A missing translation does not compile.
///
/// ``MessageRendering`` fills the placeholders: `{brand}`, `{time}`, `{minutes}`, and the message's own values.
package struct MessageTemplate: Sendable {
    /// The advice at the end of a message.
    package enum Advice: Sendable {
        /// For a code: do not share it.
        case code
        /// For a code that anyone can request: those who did not request it can ignore it.
        case recoveryCode
        /// For something done in the holder's name: what to do if it was not them.
        case protect
        /// For something that was done to the account: whom to ask.
        case ask
        /// For a refused operation: what to do depends on who started it, not on who refused it.
        case refusal
    }

    /// Turns the stored values into those of the placeholders, in a language.
    package typealias Completion = @Sendable ([String: String], Language) -> [String: String]

    package let advice: Advice
    /// Whether an SMS with a code begins with the text. It then says what the code is for before a lock screen cuts it off.
    package let smsNamesPurpose: Bool
    package let completing: Completion
    private let english, german, french, spanish, bulgarian: MessageText

    package init(
        advice: Advice, smsNamesPurpose: Bool = false, completing: @escaping Completion = { values, _ in values },
        english: MessageText, german: MessageText, french: MessageText, spanish: MessageText, bulgarian: MessageText
    ) {
        self.advice = advice
        self.smsNamesPurpose = smsNamesPurpose
        self.completing = completing
        self.english = english
        self.german = german
        self.french = french
        self.spanish = spanish
        self.bulgarian = bulgarian
    }

    package func text(in language: Language) -> MessageText {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        case .spanish: spanish
        case .bulgarian: bulgarian
        }
    }
}

/// A subject, and what happened in a sentence or two. The body is also the beginning of an SMS.
package struct MessageText: Sendable {
    package let subject: String
    package let body: String

    package init(_ subject: String, _ body: String) {
        self.subject = subject
        self.body = body
    }
}
