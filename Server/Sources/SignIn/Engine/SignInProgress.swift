internal import WalletAuthWire

/// The result of one step of a sign-in.
enum SignInProgress: Sendable {
    case admitted(Admission)
    /// The gate asks for more. The presenter seals the pending sign-in until the answer, and says what was wrong with the last one.
    case required(RequiredAction, PendingSignIn, after: AnswerFault? = nil)
    case refused(SignInRefusal)
}

/// An action that the gate requires, with everything that a presenter shows.
enum RequiredAction: Sendable {
    case newPassword
    /// A code by e-mail. The destination is masked; `nil` if this step was to send none.
    case emailCode(destination: String, CodeSending?)
    /// A code that confirms the installation of the app; `nil` if this step was to send none.
    case instanceCode(CodeSending?)
    /// `nil` only after a fault, if a concurrent answer ended the factor.
    case secondFactor(FactorPrompts.Prompt?)
    case merchant([Merchant])
    case clientConsent(ClientConsentQuestion)
}

/// The fault of the last answer; the action is still required.
enum AnswerFault: Sendable {
    /// Wrong or expired.
    case wrong
    /// The code of an authenticator app that was used before. The app shows the next one soon.
    case used
    /// The new password breaks a rule.
    case unacceptable(PasswordRuleViolation)
    /// Too many wrong answers over all sign-ins; nothing was compared. In seconds.
    case held(retryAfter: Int64)
    /// No capacity to hash; nothing was charged. In seconds.
    case busy(retryAfter: Int64)
}

/// The answer to a required action. It is `nil` for text that cannot be an answer, which costs no try.
enum RequiredActionAnswer: Sendable {
    case newPassword(Password)
    case emailCode(EmailCode?)
    case resendEmailCode
    case instanceCode(OneTimeCode)
    case resendInstanceCode
    case secondFactor(Password?)
    case resendFactor
    case chooseFactor(FactorKind)
    /// The sign-in's intent names the merchant.
    case merchant
    case clientConsent(ClientConsentOffer)

    /// The action that it answers. A proof for one action must not pass for another: the code that confirms an address is no second
    /// factor.
    var need: PendingSignIn.Need {
        switch self {
        case .newPassword: .newPassword
        case .emailCode, .resendEmailCode: .emailCode
        case .instanceCode, .resendInstanceCode: .instanceCode
        case .secondFactor, .resendFactor, .chooseFactor: .secondFactor
        case .merchant: .merchant
        case .clientConsent: .clientConsent
        }
    }
}
