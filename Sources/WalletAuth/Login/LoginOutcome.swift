public import WalletAuthWire

/// How a native sign-in went on.
public enum LoginOutcome: Sendable {
    /// Somebody is signed in. The server's additional attributes (`last_login`, `push_enabled` …), as it sent them.
    case authenticated(additionalAttributes: [String: JSONValue])
    /// A second factor is asked for.
    case mfaRequired(MFAChallenge)
    /// The password has expired, or is being recovered: the person has to choose another.
    case passwordChangeRequired(PasswordChange)
    /// The e-mail address has to be confirmed first.
    case emailUnverified(EmailVerification)
    /// This installation of the app has to confirm the code that was sent first.
    case appInstanceUnverified(AppInstanceVerification)
    /// The person works for several merchants that have the app, and has to say for which of them this session is.
    case merchantRequired(MerchantChoice)
    /// The provider knows the person, and no account is linked to that yet:
    /// ``Wallet/AccountEnrollment/createAndRegister(_:for:)`` makes one and signs in.
    case noMatchingGuest(GuestContinuation)
    /// Only a browser will do: use ``Wallet/setUp()`` or ``Wallet/authentication``.
    case redirectToWeb

    /// The number that wallet apps of the older kind switch on, where their tables have one for it: 412 for a second factor, 418
    /// for an e-mail address that is not confirmed, 508 for a password that has expired, 511 for an installation that is not
    /// confirmed, 403 for an employee who has to choose a merchant, and 404 for a guest without an account. An error has its number in ``WalletError/statusCode``.
    public var statusCode: Int? {
        let code: ErrorCode? =
            switch self {
            case .authenticated, .redirectToWeb: nil
            case .mfaRequired: .mfaRequired
            case .passwordChangeRequired: .passwordChangeRequired
            case .emailUnverified: .emailUnverified
            case .appInstanceUnverified: .appInstanceUnverified
            case .merchantRequired: .merchantRequired
            case .noMatchingGuest: .noMatchingGuest
            }
        return code?.statusCode()
    }
}

/// A second factor is asked for, since this device is not linked to the account.
///
/// ``answer(_:)`` gives it; ``Wallet/register(mfa:answer:)`` gives it and then links this device, so that the next sign-in
/// from here asks for none.
public struct MFAChallenge: Sendable {
    /// Another factor of the account.
    public struct Alternative: Sendable, Hashable {
        /// What would be asked for.
        public let method: String
        /// How a code would be sent.
        public let channel: String?
        /// Where to, as far as it may be shown.
        public let destination: String?
    }

    /// What is asked for: `secret_question`, `otp`, `totp`, `recovery_code`; more may come.
    public let method: String
    /// The question, where the method is one.
    public let question: String?
    /// How the code was sent.
    public let channel: String?
    /// Where to, as far as it may be shown.
    public let destination: String?
    /// When the code can be sent again; nil where it cannot, or none is sent.
    public let resendAfter: Duration?
    /// Whether a code is on its way, where the method sends one: false where too many were sent lately, and another way or
    /// ``resendAfter`` is what helps.
    public let isCodeSent: Bool
    /// Whether this very step had a code sent: false where it came too soon after the last one, whose code still counts.
    /// ``resendAfter`` says when another can be sent. True where the method sends none.
    public let wasSent: Bool
    /// What the person may use instead.
    public let alternatives: [Alternative]

    private let token: MFAToken
    let continuation: LoginContinuation

    init(factor: InsufficientAuthorization.SecondFactor, continuation: LoginContinuation) {
        method = factor.method
        question = factor.question
        channel = factor.channel
        destination = factor.destination
        resendAfter = factor.resendAfter.map { .seconds($0) }
        isCodeSent = factor.isCodeSent
        wasSent = factor.sent ?? true
        alternatives = factor.alternatives.map {
            Alternative(method: $0.method, channel: $0.channel, destination: $0.destination)
        }
        token = factor.token
        self.continuation = continuation
    }

    /// Gives the answer.
    /// - Parameter value: as the person typed it.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``; a wrong answer leaves this usable as long as the server lets it.
    public func answer(_ value: String) async throws -> LoginOutcome {
        try await continuation.resume(try proof(value))
    }

    private func proof(_ value: String) throws -> Continuation {
        // The codes of these are digits: what has something else in it costs none of the tries.
        if method == FactorKind.totp.method || method == FactorKind.email.method, !TypedCode.isPossible(value) {
            throw MalformedValue(field: "code", reason: "consists of digits")
        }
        return .mfa(token, answer: try Password(value))
    }

    /// Has another factor asked for. A code that was sent is void then; tries that were used stay used.
    /// - Parameter alternative: one of ``alternatives``.
    /// - Returns: ``LoginOutcome/mfaRequired(_:)`` with the other factor.
    /// - Throws: ``WalletError``.
    public func choose(_ alternative: Alternative) async throws -> LoginOutcome {
        guard let kind = FactorKind(method: alternative.method, channel: alternative.channel) else {
            throw WalletError(
                .badRequest, .refused, during: continuation.attempt.operation, reason: "the factor is not known here")
        }
        return try await continuation.resume(.chooseFactor(kind))
    }

    /// Has the code sent again; the one before is void then. A request that comes too soon sends nothing, and says when.
    /// - Returns: ``LoginOutcome/mfaRequired(_:)`` again, since sending proves nothing.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendFactor)
    }
}

/// Why a new password is refused. More may come: an app shows those that it does not know like ``tooCommon``.
public struct PasswordFault: RawRepresentable, Hashable, Sendable {
    /// The server's word.
    public let rawValue: String

    /// - Parameter rawValue: the server's word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Fewer than eight characters.
    public static let tooShort = PasswordFault(rawValue: "too_short")
    /// More than 256 characters.
    public static let tooLong = PasswordFault(rawValue: "too_long")
    /// One of those that everybody tries first, or the person's own name.
    public static let tooCommon = PasswordFault(rawValue: "too_common")
    /// In a list of stolen ones.
    public static let breached = PasswordFault(rawValue: "breached")
    /// The one before.
    public static let unchanged = PasswordFault(rawValue: "unchanged")
}

/// The password has expired, or is being recovered; ``choose(newPassword:)`` sets another and signs in.
public struct PasswordChange: Sendable {
    /// What was wrong with the password that was chosen last; nil before the first.
    public let fault: PasswordFault?
    let continuation: LoginContinuation

    /// Sets another password and goes on with the sign-in.
    /// - Parameter newPassword: as the person typed it; the policy is the server's.
    /// - Returns: how the sign-in went on; this state again, with its ``fault``, for a password that the policy refuses.
    /// - Throws: ``WalletError``.
    public func choose(newPassword: String) async throws -> LoginOutcome {
        try await continuation.resume(.newPassword(try Password(newPassword)))
    }
}

/// The e-mail address has to be confirmed; the server sends a code to it.
public struct EmailVerification: Sendable {
    /// Whether this very step had a code sent: false where it came too soon after the last one, whose code still counts.
    public let wasSent: Bool
    /// When another code can be sent; nil where the server does not say.
    public let resendAfter: Duration?
    let continuation: LoginContinuation

    init(_ sending: CodeSending?, continuation: LoginContinuation) {
        wasSent = sending?.isSent ?? true
        resendAfter = sending?.resendAfter.map { .seconds($0) }
        self.continuation = continuation
    }

    /// Gives the code from the e-mail and goes on with the sign-in.
    /// - Parameter code: as the person typed it.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``; a wrong code leaves this usable. What has something else than digits in it costs no try.
    public func confirm(code: String) async throws -> LoginOutcome {
        try await continuation.resume(.emailCode(try EmailCode(digits: code)))
    }

    /// Has the e-mail sent again. A request that comes too soon sends nothing: ``wasSent`` of what it returns says so.
    /// - Returns: the state again, since sending confirms nothing.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendEmail)
    }
}

/// This installation has to be confirmed; the server sent a code to the account's holder.
public struct AppInstanceVerification: Sendable {
    /// Whether this very step had a code sent: false where it came too soon after the last one, whose code still counts.
    public let wasSent: Bool
    /// When another code can be sent; nil where the server does not say.
    public let resendAfter: Duration?
    let continuation: LoginContinuation

    init(_ sending: CodeSending?, continuation: LoginContinuation) {
        wasSent = sending?.isSent ?? true
        resendAfter = sending?.resendAfter.map { .seconds($0) }
        self.continuation = continuation
    }

    /// Gives the code and goes on with the sign-in.
    /// - Parameter code: as the person typed it.
    /// - Returns: how the sign-in went on.
    /// - Throws: ``WalletError``; a wrong code leaves this usable. What has something else than digits in it costs no try.
    public func confirm(code: String) async throws -> LoginOutcome {
        try await continuation.resume(.appInstanceCode(try OneTimeCode(digits: code)))
    }

    /// Has the code sent again. A request that comes too soon sends nothing: ``wasSent`` of what it returns says so.
    /// - Returns: the state again, since sending confirms nothing.
    /// - Throws: ``WalletError``.
    public func resend() async throws -> LoginOutcome {
        try await continuation.resume(.resendAppInstanceCode)
    }
}
