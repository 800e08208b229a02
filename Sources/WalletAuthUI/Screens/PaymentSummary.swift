/// What the person agrees to, in their language: amount and payee first, and large.
public struct PaymentSummary: Hashable, Sendable {
    /// A further line.
    public struct Line: Hashable, Sendable {
        /// The label: the backend's name for it, marked as an additional detail.
        public let label: String
        /// The value.
        public let value: String
    }

    /// The kind of operation in the backend's terms, for instance `PURCHASE`.
    public let kind: String
    /// The kind's name for the person; the backend's own kinds are as in ``kind``.
    public let name: String
    /// What the person is asked to do: confirm a payment, for instance, or start a series of them.
    public let heading: String
    /// What follows from it beyond this once; nil if nothing does.
    public let consequence: String?
    /// That only the person who started it should go on.
    public let advice: String
    /// The label of the button, which says what it approves.
    public let approval: String
    /// The amount as the person's locale writes it; nil if nothing is paid.
    public let amount: String?
    /// The payee's name; nil if nothing is paid.
    public let payee: String?
    /// The payee's account, an IBAN in groups of four.
    public let account: String?
    /// Everything else that the person has to see, in order.
    public let lines: [Line]
    /// What the device shows while it asks for face or fingerprint.
    let reason: String
}

/// What a screen asks for to prove that it is the person, and what it says of the last try.
public struct VerificationQuestion: Hashable, Sendable {
    /// What proves it.
    public enum Kind: Sendable, Hashable {
        /// A code, typed into the field.
        case code
        /// A PIN, typed into the field.
        case pin
        /// Face or fingerprint.
        case biometrics
        /// A page in the browser.
        case page
        /// An approval on another device, which the screen waits for.
        case elsewhere
    }

    /// Another way, by its name in the list.
    public struct Alternative: Hashable, Sendable, Identifiable {
        /// Identifies the way.
        public let id: String
        /// The name of the way.
        public let label: String
    }

    /// What proves it.
    public let kind: Kind
    /// What to do: where the code was sent, for instance.
    public let instruction: String
    /// What was wrong with the last try, to show at the field; nil the first time.
    public let fault: String?
    /// The tries that are left; nil before a wrong one.
    public let attemptsLeft: String?
    /// Whether a new code can be sent.
    public let canResend: Bool
    /// The other ways.
    public let alternatives: [Alternative]
}

/// The steps of a consent's screen.
public enum ConsentPhase: Sendable, Hashable {
    /// Nothing is asked.
    case idle
    /// The person is asked.
    case asking
    /// The answer is being checked.
    case checking
    /// The person agreed, and the backend has answered.
    case approved
    /// The person declined: nothing was carried out. If they did not start it, no one can approve it any more.
    case declined
    /// The consent, or the request, failed.
    case failed
}

/// The steps of a transaction's screen.
public enum TransactionPhase: Sendable, Hashable {
    /// No transaction.
    case idle
    /// The wallet is working.
    case working
    /// Several accounts on this device could sign.
    case choosingAccount
    /// The person reads the transaction, and confirms or rejects it.
    case confirming
    /// The person proves that it is them.
    case verifying
    /// The transaction is signed.
    case signed
    /// It was signed before, for instance before the app was killed: there is nothing to do, and nothing to pay again.
    case alreadySigned
    /// The person rejected it.
    case rejected
    /// It ended without a signature.
    case failed
}
