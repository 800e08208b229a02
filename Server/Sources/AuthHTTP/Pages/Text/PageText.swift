/// The texts of the pages in one language. A translation with a missing text does not compile.
///
/// `{client}`, `{brand}`, `{user}`, `{host}`, `{issuer}`, `{address}`, `{destination}` and `{seconds}` are placeholders that
/// ``fill(_:_:)`` fills; the whole sentence is escaped afterwards.
struct PageText: PageTranslation {
    // The sign-in page, step by step.
    let signInHeading: String
    let signInLead: String
    let usernameLabel: String
    let passwordLabel: String
    let submitLabel: String
    let resetLabel: String
    let recoveryHeading: String
    let recoveryLead: String
    let recoverySubmitLabel: String
    let recoveryCodeHeading: String
    let recoveryCodeSentLead: String
    let recoveredPasswordLead: String
    let confirmHeading: String
    let confirmLead: String
    let confirmLabel: String
    let otherAccountLabel: String
    let newPasswordHeading: String
    let newPasswordLead: String
    let newPasswordLabel: String
    let newPasswordHint: String
    let repeatPasswordLabel: String
    let newPasswordSubmitLabel: String
    let emailCodeHeading: String
    let emailCodeLead: String
    let emailCodeLabel: String
    let emailCodeSubmitLabel: String
    let secondFactorHeading: String
    let authenticatorLead: String
    let secretQuestionLead: String
    let recoveryCodeLead: String
    let useAuthenticatorLabel: String
    let useEmailLabel: String
    let useSMSLabel: String
    let useSecretQuestionLabel: String
    let useRecoveryCodeLabel: String
    let usePasswordLabel: String
    let resendLabel: String
    let cancelLabel: String
    let returnFooter: String

    // Notices of a step.
    let noticeHeading: String
    let invalidCredentials: String
    let triedOften: String
    let passwordNeeded: String
    let walletDeactivated: String
    let recoveryCodeSent: String
    let unusableName: String
    let recoveryUnavailable: String
    let passwordMissing: String
    let passwordMistyped: String
    let passwordTooShort: String
    let passwordTooLong: String
    let passwordUnusable: String
    let passwordTooCommon: String
    let passwordBreached: String
    let passwordUnchanged: String
    let invalidCode: String
    let codeUsed: String
    let wrongAnswer: String
    let factorOver: String
    let codeSent: String
    let codeSentRecently: String
    let codeNotSent: String
    let tooManyAttempts: String
    let networkHeld: String
    let busy: String

    // The error page.
    let faultHeading: String
    let codeLabel: String
    let referenceLabel: String
    let unknownClient: String
    let redirectMismatch: String
    let malformedRequest: String
    let expiredPage: String
    let serverFault: String
    let unavailable: String
    let notFound: String
    let foreignHost: String
    let nextStepApp: String
    let nextStepService: String
    let nextStepAddress: String
    let nextStepOwnAddress: String
    let developersHeading: String
    let developerUnknownClient: String
    let developerRedirectMismatch: String

    // The page that returns an answer to an app.
    let continueHeading: String
    let continueMessage: String
    let continueLabel: String

    // The choice of a merchant.
    let merchantHeading: String
    let merchantLead: String

    // Sign-out.
    let signedOutHeading: String
    let signedOut: String

    /// A text, independent of the language.
    typealias Sentence = any KeyPath<PageText, String> & Sendable

    /// Keeps a masked address on one line. Otherwise a line could break after its "…" or a hyphen, and "n…" alone means
    /// nothing.
    static func unbroken(_ address: String) -> String {
        address.map { $0 == "…" || $0 == "-" ? "\($0)\u{2060}" : String($0) }.joined()
    }

    /// Replaces the placeholders in a text.
    static func fill(_ sentence: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = sentence[...]
        // A single pass, so that a name that looks like a placeholder is not replaced again.
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            filled += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            filled += values[name] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }
}
