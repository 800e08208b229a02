/// A second factor is asked for; ``answer(_:)`` gives it.
public struct MFAChallenge: Sendable {
    /// What is asked for.
    public enum Method: String, Sendable, Hashable, Codable {
        /// A question that the person once chose.
        case secretQuestion = "secret_question"
        /// A code that was sent.
        case otp
        /// A code of an authenticator app.
        case totp
        /// A passkey.
        case passkey
    }
    /// What is asked for.
    public let method: Method
    /// The question, where the method is one.
    public let question: String?
    /// How the code was sent.
    public let channel: String?
    /// Where to, as far as it may be shown.
    public let destination: String?
    let continuation: LoginContinuation

    /// Gives the answer.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``.
    public func answer(_ value: String) async throws -> LoginOutcome {
        try await continuation.resume(.mfa(answer: value))
    }
}

/// The password has expired; ``choose(newPassword:)`` sets another and signs in.
public struct PasswordChange: Sendable {
    let continuation: LoginContinuation

    /// Sets another password and goes on with the sign-in.
    /// - Throws: ``WalletError``; a refused password leaves the continuation usable.
    public func choose(newPassword: String) async throws -> LoginOutcome {
        try await continuation.resume(.newPassword(newPassword))
    }
}

/// The e-mail address has to be confirmed; the server sends a code to it.
public struct EmailVerification: Sendable {
    let continuation: LoginContinuation

    /// Gives the code from the e-mail and goes on with the sign-in.
    /// - Throws: ``WalletError``; a wrong code leaves the continuation usable.
    public func confirm(code: String) async throws -> LoginOutcome {
        try await continuation.resume(.emailCode(code))
    }

    /// Has the e-mail sent again.
    /// - Returns: the state again, since sending confirms nothing.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendEmail)
    }
}

struct LoginContinuation: Sendable {
    enum Step: Sendable {
        case mfa(answer: String)
        case newPassword(String)
        case emailCode(String)
        case resendEmail
    }

    func resume(_ step: Step) async throws -> LoginOutcome { .redirectToWeb }
}
