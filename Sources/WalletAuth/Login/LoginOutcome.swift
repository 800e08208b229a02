public import WalletAuthWire

/// The next state of a native sign-in.
public enum LoginOutcome: Sendable {
    /// The person is signed in. Contains the server's additional attributes (`last_login`, `push_enabled` …).
    case authenticated(additionalAttributes: [String: JSONValue])
    /// The sign-in needs a second factor.
    case mfaRequired(MFAChallenge)
    /// The password has expired or is being recovered; the person must choose a new one.
    case passwordChangeRequired(PasswordChange)
    /// The e-mail address must be confirmed first.
    case emailUnverified(EmailVerification)
    /// This installation of the app must first be confirmed with a code that the server sent.
    case appInstanceUnverified(AppInstanceVerification)
    /// The person works for several merchants that have the app, and must choose one for this session.
    case merchantRequired(MerchantChoice)
    /// The provider knows the person, but no account is linked to that identity yet.
    /// ``Wallet/AccountEnrollment/createAndRegister(_:for:)`` creates one and signs in.
    case noMatchingGuest(GuestContinuation)
    /// Only a browser can complete the sign-in: use ``Wallet/signIn()`` or ``Wallet/authentication``.
    case redirectToWeb

    /// The numeric status that older wallet apps switch on, if their tables have one for the state: 412 for a second
    /// factor, 418 for an unconfirmed e-mail address, 508 for an expired password, 511 for an unconfirmed installation,
    /// 403 for an employee who must choose a merchant, and 404 for a guest without an account. An error has its number
    /// in ``WalletError/statusCode``.
    public var statusCode: Int? { code?.statusCode() }

    fileprivate var code: ErrorCode? {
        switch self {
        case .authenticated, .redirectToWeb: nil
        case .mfaRequired: .mfaRequired
        case .passwordChangeRequired: .passwordChangeRequired
        case .emailUnverified: .emailUnverified
        case .appInstanceUnverified: .appInstanceUnverified
        case .merchantRequired: .merchantRequired
        case .noMatchingGuest: .noMatchingGuest
        }
    }
}

extension WalletError {
    /// The error of a sign-in that goes on with a step that the caller does not offer, for the modules with other SDKs' names.
    /// - Parameters:
    ///   - outcome: the outcome; not ``LoginOutcome/authenticated(additionalAttributes:)``.
    ///   - reason: what the app's developer has to do.
    package init(unfinished outcome: LoginOutcome, reason: String) {
        self.init(
            outcome.code.map { Code(rawValue: $0.rawValue) } ?? "redirect_to_web", .refused, during: .signIn,
            statusCode: outcome.statusCode, reachedServer: true, reason: reason)
    }
}

/// The sign-in needs a second factor, because this device is not linked to the account.
///
/// ``answer(_:)`` submits it. ``Wallet/register(mfa:answer:)`` submits it and then links this device, so that the next
/// sign-in from here needs no second factor.
public struct MFAChallenge: Sendable {
    /// Another factor of the account.
    public struct Alternative: Sendable, Hashable {
        /// The method it uses.
        public let method: String
        /// The channel of a code.
        public let channel: String?
        /// The destination of a code, masked.
        public let destination: String?
    }

    /// The method: `secret_question`, `otp`, `totp`, `recovery_code`, or `passkey`, whose answer is ``answerWithPasskey()``.
    /// More may be added.
    public var method: String { factor.method }
    /// The question, if the method is one. ``UserErrorMessages/question(of:languages:)`` has words for the other methods too.
    public var question: String? { factor.question }
    /// The channel through which the code was sent.
    public var channel: String? { factor.channel }
    /// The destination of the code, masked.
    public var destination: String? { factor.destination }
    /// When the code can be sent again; nil if it cannot, or if the method sends none.
    public var resendAfter: Duration? { factor.resendAfter.map { .seconds($0) } }
    /// Whether a code is on its way, if the method sends one. False if too many were sent recently: use another factor,
    /// or wait for ``resendAfter``.
    public var isCodeSent: Bool { factor.isCodeSent }
    /// Whether this step sent a code. False if it came too soon after the last code, which is still valid;
    /// ``resendAfter`` says when another can be sent. True if the method sends none.
    public var wasSent: Bool { factor.sent ?? true }
    /// The factors that the person may use instead.
    public var alternatives: [Alternative] {
        factor.alternatives.map {
            Alternative(method: $0.method, channel: $0.channel, destination: $0.destination)
        }
    }

    let factor: InsufficientAuthorization.SecondFactor
    let continuation: LoginContinuation

    /// Submits the answer.
    /// - Parameter value: the answer as typed.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``. After a wrong answer, the challenge stays usable as long as the server allows.
    public func answer(_ value: String) async throws -> LoginOutcome {
        try await continuation.resume(try proof(value))
    }

    private func proof(_ value: String) throws -> Continuation {
        // These codes have only digits: anything else costs no try.
        guard method == FactorKind.totp.method || method == FactorKind.email.method else {
            return .mfa(factor.token, answer: try Password(TypedText.trimmed(value)))
        }
        guard TypedCode.isPossible(value) else {
            throw MalformedValue(field: "code", reason: "must consist of digits")
        }
        return .mfa(factor.token, answer: try Password(TypedCode.normalized(value)))
    }

    /// Switches to another factor. This invalidates a code that was sent; tries already used still count.
    /// - Parameter alternative: one of ``alternatives``.
    /// - Returns: ``LoginOutcome/mfaRequired(_:)`` with the other factor.
    /// - Throws: ``WalletError``.
    public func choose(_ alternative: Alternative) async throws -> LoginOutcome {
        if alternative.method == AccountFactorList.Factor.passkeyMethod { return .mfaRequired(askingForPasskey) }
        guard let kind = FactorKind(method: alternative.method, channel: alternative.channel) else {
            throw WalletError(
                .badRequest, .refused, during: continuation.attempt.operation, reason: "the factor is unknown")
        }
        return try await continuation.resume(.chooseFactor(kind))
    }

    /// Sends a new code and invalidates the last one. If called too soon, it sends nothing and says when to try again.
    /// - Returns: ``LoginOutcome/mfaRequired(_:)`` again.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendFactor)
    }
}

/// The reason a new password is refused. More may be added: treat unknown ones like ``tooCommon``.
public struct PasswordFault: RawRepresentable, Hashable, Sendable {
    /// The server's value.
    public let rawValue: String

    /// Wraps the server's value.
    /// - Parameter rawValue: the server's value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fewer than eight characters.
    public static let tooShort = PasswordFault(rawValue: "too_short")
    /// More than 256 characters.
    public static let tooLong = PasswordFault(rawValue: "too_long")
    /// Among the most common passwords.
    public static let tooCommon = PasswordFault(rawValue: "too_common")
    /// It contains the person's user name, or the part before the `@` of their e-mail address.
    public static let containsName = PasswordFault(rawValue: "contains_name")
    /// In a list of breached passwords.
    public static let breached = PasswordFault(rawValue: "breached")
    /// The same as the current password.
    public static let unchanged = PasswordFault(rawValue: "unchanged")
}

extension PasswordFault: CustomStringConvertible {
    /// The server's value.
    public var description: String { rawValue }
}

/// The password has expired or is being recovered; ``choose(newPassword:)`` sets a new one and signs in.
public struct PasswordChange: Sendable {
    /// The fault of the last choice; nil before the first.
    public let fault: PasswordFault?
    let continuation: LoginContinuation

    /// Sets a new password and continues the sign-in.
    /// - Parameter newPassword: the password as typed; the server checks it against its policy.
    /// - Returns: the next state of the sign-in; this state again, with its ``fault``, if the policy refuses the
    ///   password.
    /// - Throws: ``WalletError``.
    public func choose(newPassword: String) async throws -> LoginOutcome {
        try await continuation.resume(.newPassword(try Password(newPassword)))
    }
}

/// The e-mail address must be confirmed with a code that the server sends to it.
public struct EmailVerification: Sendable {
    /// Whether this step sent a code. False if it came too soon after the last code, which is still valid.
    public var wasSent: Bool { sending?.isSent ?? true }
    /// When another code can be sent; nil if the server does not say.
    public var resendAfter: Duration? { sending?.resendAfter.map { .seconds($0) } }
    let sending: CodeSending?
    let continuation: LoginContinuation

    /// Submits the code from the e-mail and continues the sign-in.
    /// - Parameter code: the code as typed.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``. After a wrong code, this stays usable. Input with characters other than digits costs
    ///   no try.
    public func confirm(code: String) async throws -> LoginOutcome {
        try await continuation.resume(.emailCode(try EmailCode(digits: code)))
    }

    /// Sends the e-mail again. If called too soon, it sends nothing, and ``wasSent`` of the result is false.
    /// - Returns: the same state again.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendEmail)
    }
}

/// This installation must be confirmed with a code that the server sent to the account's owner.
public struct AppInstanceVerification: Sendable {
    /// Whether this step sent a code. False if it came too soon after the last code, which is still valid.
    public var wasSent: Bool { sending?.isSent ?? true }
    /// When another code can be sent; nil if the server does not say.
    public var resendAfter: Duration? { sending?.resendAfter.map { .seconds($0) } }
    let sending: CodeSending?
    let continuation: LoginContinuation

    /// Submits the code and continues the sign-in.
    /// - Parameter code: the code as typed.
    /// - Returns: the next state of the sign-in.
    /// - Throws: ``WalletError``. After a wrong code, this stays usable. Input with characters other than digits costs
    ///   no try.
    public func confirm(code: String) async throws -> LoginOutcome {
        try await continuation.resume(.appInstanceCode(try OneTimeCode(digits: code)))
    }

    /// Sends the code again. If called too soon, it sends nothing, and ``wasSent`` of the result is false.
    /// - Returns: the same state again.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendAppInstanceCode)
    }
}

extension Secret {
    /// Creates a numeric code as typed.
    /// - Throws: `MalformedValue` if it cannot be one.
    init(digits typed: String) throws(MalformedValue) {
        guard TypedCode.isPossible(typed) else { throw MalformedValue(field: "code", reason: "must consist of digits") }
        try self.init(typed)
    }
}
