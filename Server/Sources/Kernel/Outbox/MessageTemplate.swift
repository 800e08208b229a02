package import Core
package import Store

/// How one kind of message is written. Its texts are in the catalog: ``MessageText``.
package struct MessageTemplate: Sendable {
    /// The advice at the end of a message.
    package enum Advice: Sendable, Hashable {
        /// For a code: do not share it.
        case code
        /// For a code that anyone can request: those who did not request it can ignore it.
        case recoveryCode
        /// For a code to a new address, which may be another person's: those who did not request it can ignore it.
        case newContactCode
        /// For an answer without a code to what anyone can request: those who did not request it can ignore it.
        case ignore
        /// For something done in the holder's name: what to do if it was not them.
        case protect
        /// The same for something that was added to the account and outlives a new password: it has to be removed.
        case protectRemoving(MessageWording)
        /// For something that was done to the account: whom to ask.
        case ask
        /// For a refused operation: what to do depends on who started it, not on who refused it.
        case refusal

        /// Whether the message answers someone who waits for it, in the language in which they asked. All others tell the holder about
        /// what may be someone else's doing, who must not choose the language.
        var answersRequest: Bool {
            switch self {
            case .code, .recoveryCode, .newContactCode, .ignore: true
            case .protect, .protectRemoving, .ask, .refusal: false
            }
        }
    }

    /// Turns the stored values into those of the placeholders, in a language.
    package typealias Completion = @Sendable ([String: String], BrandLanguage) -> [String: String]

    /// Reads what a message says of its account's other rows when it is delivered: the request for it may concern no account, and its
    /// timing must not tell.
    /// - Returns: `nil` if there is nothing left to say.
    package typealias Reading =
        @Sendable (AccountRecord, ProviderVendors, any SQLConnection) throws -> [String: String]?

    package let advice: Advice
    /// Whether an SMS with a code begins with the text. It then says what the code is for before a lock screen cuts it off.
    package let smsNamesPurpose: Bool
    package let reading: Reading
    package let completing: Completion
    /// Finds the device of a push; `nil` for a message to an address or a number.
    package let devices: (any PushDirectory)?

    package init(
        advice: Advice, smsNamesPurpose: Bool = false, reading: @escaping Reading = { _, _, _ in [:] },
        completing: @escaping Completion = { values, _ in values }, devices: (any PushDirectory)? = nil
    ) {
        self.advice = advice
        self.smsNamesPurpose = smsNamesPurpose
        self.reading = reading
        self.completing = completing
        self.devices = devices
    }
}

/// A subject, and what happened in a sentence or two. The body is also the beginning of an SMS.
///
/// ``MessageRendering`` fills the placeholders: `{brand}`, `{support}`, `{time}`, `{minutes}`, `{account_page}`, and the message's own
/// values.
package struct MessageText: Sendable {
    /// The keys of each section.
    package enum Part: String, CaseIterable {
        case subject, body
    }

    private let texts: [String: String]

    /// - Parameter kind: the name that the message's row stores.
    package init(of kind: String, in source: some TextSource) {
        texts = source.texts(ofSection: Self.section(of: kind))
    }

    /// The section of the catalog, which is not known to the compiler: a row names the kind.
    package static func section(of kind: String) -> String { "messages.\(kind)" }

    package subscript(part: Part, values: [String: String]) -> String {
        Placeholders.fill(texts[part.rawValue] ?? part.rawValue, with: values)
    }
}
