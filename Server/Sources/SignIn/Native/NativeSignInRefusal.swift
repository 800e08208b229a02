package import WalletAuthWire

/// Why a native sign-in returned no code: the states of the wire contract's section 3. Each has the OAuth error, the
/// symbolic code and the number that wallet apps switch on.
///
/// Refusals that describe an account or device are given only to a caller who has proved something about it, as noted
/// at each case.
package enum NativeSignInRefusal: Sendable {
    /// A wrong, unknown, locked or spent credential; the answer is the same for all.
    case invalidCredentials
    /// Too many consecutive failures, or an operator. Only for a known device or after a correct first factor.
    case walletDeactivated
    /// The same for a sign-in with a device token, where it has another number.
    case walletDeactivatedForDeviceToken
    /// The device token expired or was replaced. Only after proof of the device's key and a factor.
    case deviceTokenExpired
    case deviceAuthenticationUnsupported
    /// The brand does not offer this way to sign in, such as the account PIN.
    case loginStrategyUnavailable
    /// The device's key, PIN or biometric key, or the state of the device.
    case device(PINRefusal)
    /// Continue with the session and `mfa_token`, and `mfa_answer`, `mfa_method` or `resend_mfa`.
    case mfaRequired(AuthSession, InsufficientAuthorization.SecondFactor)
    /// Continue with the session and `recovery_answer` or `resend_recovery`. The answer is the same for every name.
    case recoveryCodeRequired(AuthSession, RecoveryPrompt)
    /// The session continues while attempts are left; `nil` after the last.
    case wrongRecoveryCode(AuthSession?)
    /// The account has more than its mailbox, and none of it can be requested here. Only after the correct code.
    case recoveryUnavailable
    /// The session continues while attempts are left; `nil` after the last.
    case wrongSecondFactor(AuthSession?)
    /// Continue with the session and `app_instance_code` or `resend_app_instance_code`.
    case appInstanceUnverified(AuthSession, CodeSending?)
    /// Wrong or expired; the session continues.
    case invalidInstanceCode(AuthSession)
    /// Continue with the session and `email_code` or `resend_email`.
    case emailUnverified(AuthSession, CodeSending?)
    /// Continue with the session and `new_password`.
    case passwordChangeRequired(AuthSession)
    /// The password has to be changed, which an account PIN cannot do. The sign-in is over: the password begins another.
    case passwordNeeded
    /// The session continues.
    case passwordUnacceptable(AuthSession, PasswordRuleViolation)
    /// Wrong or expired; the session continues.
    case invalidEmailCode(AuthSession)
    /// The provider knows the person, but this server does not. An account can be created with the session.
    case noMatchingGuest(AuthSession)
    /// The session continues.
    case usernameTaken(AuthSession)
    /// The identity provider cannot be reached. 503 with `Retry-After`, in seconds: the credentials were not judged.
    case providerUnavailable(retryAfter: Int64)
    /// The session is malformed, has expired, or belongs to another key or client. Start again.
    case invalidSession
    /// The sign-in needs a browser.
    case redirectToWeb
    /// The person works for several merchants. Continue with the session and the `merchant_id` of one of them.
    case merchantRequired(AuthSession, [Merchant])
    case merchant(MerchantFault)
    /// Too many attempts from this address. 429 with `Retry-After`, in seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The server has no capacity for password hashing. 503 with `Retry-After`, in seconds.
    case busy(retryAfter: Int64)

    /// The OAuth `error` (OAuth 2.0 for First-Party Applications §5.2).
    package var error: String {
        switch self {
        case .invalidCredentials, .walletDeactivated, .device, .merchant, .walletDeactivatedForDeviceToken,
            .deviceTokenExpired, .wrongSecondFactor(nil),
            .wrongRecoveryCode(nil),
            .recoveryUnavailable, .passwordNeeded:
            "access_denied"
        case .mfaRequired, .wrongSecondFactor, .appInstanceUnverified, .invalidInstanceCode, .emailUnverified,
            .passwordChangeRequired, .recoveryCodeRequired, .wrongRecoveryCode,
            .passwordUnacceptable, .invalidEmailCode, .noMatchingGuest, .usernameTaken, .merchantRequired:
            "insufficient_authorization"
        case .invalidSession: "invalid_session"
        case .deviceAuthenticationUnsupported, .loginStrategyUnavailable: "unauthorized_client"
        case .redirectToWeb: "redirect_to_web"
        case .tooManyAttempts, .busy, .providerUnavailable: "temporarily_unavailable"
        }
    }

    /// This project's error code, with its HTTP status and its number in the wire contract's table.
    private var code: ErrorCode {
        switch self {
        case .invalidCredentials, .invalidEmailCode, .invalidInstanceCode, .wrongSecondFactor, .wrongRecoveryCode:
            .invalidCredentials
        // An assertion is refused by no code that has no number.
        case .device(let refusal): ErrorCode(rawValue: refusal.answer.code) ?? .invalidCredentials
        case .recoveryCodeRequired: .recoveryCodeRequired
        case .recoveryUnavailable: .recoveryUnavailable
        case .mfaRequired: .mfaRequired
        case .appInstanceUnverified: .appInstanceUnverified
        case .walletDeactivated, .walletDeactivatedForDeviceToken: .walletDeactivated
        case .deviceTokenExpired: .deviceTokenExpired
        case .deviceAuthenticationUnsupported: .deviceAuthenticationUnsupported
        case .loginStrategyUnavailable: .loginStrategyUnavailable
        case .emailUnverified: .emailUnverified
        case .passwordChangeRequired, .passwordUnacceptable, .passwordNeeded: .passwordChangeRequired
        case .merchantRequired: .merchantRequired
        case .merchant(.appNotInstalled): .appNotInstalled
        case .merchant(.notAnEmployee): .notAnEmployee
        case .invalidSession, .redirectToWeb: .badRequest
        case .noMatchingGuest: .noMatchingGuest
        case .usernameTaken: .usernameTaken
        case .tooManyAttempts, .busy, .providerUnavailable: .serverError
        }
    }

    /// The symbolic `error_code`.
    package var errorCode: String { code.rawValue }

    package var status: Int {
        switch self {
        case .tooManyAttempts: 429
        case .busy, .providerUnavailable: 503
        default: code.httpStatus ?? 400
        }
    }

    /// The numeric `status_code` for older wallet apps.
    package var statusCode: Int {
        switch self {
        // In this numbering, a busy server's HTTP status is a suspended device's number.
        case .tooManyAttempts: status
        case .walletDeactivatedForDeviceToken: code.statusCode(during: .usingDeviceToken)
        default: code.statusCode()
        }
    }

    /// The session that continues the sign-in; nil if the sign-in cannot continue.
    package var session: AuthSession? {
        switch self {
        case .appInstanceUnverified(let session, _), .invalidInstanceCode(let session),
            .emailUnverified(let session, _),
            .passwordChangeRequired(let session), .passwordUnacceptable(let session, _),
            .invalidEmailCode(let session), .mfaRequired(let session, _), .noMatchingGuest(let session),
            .usernameTaken(let session), .recoveryCodeRequired(let session, _), .merchantRequired(let session, _):
            session
        case .wrongSecondFactor(let session), .wrongRecoveryCode(let session): session
        default: nil
        }
    }

    package var secondFactor: InsufficientAuthorization.SecondFactor? {
        if case .mfaRequired(_, let factor) = self { factor } else { nil }
    }

    /// The delivery of the code that the person has to enter.
    package var sentCode: CodeSending? {
        switch self {
        case .emailUnverified(_, let sending), .appInstanceUnverified(_, let sending): sending
        default: nil
        }
    }

    package var recovery: RecoveryPrompt? {
        if case .recoveryCodeRequired(_, let prompt) = self { prompt } else { nil }
    }

    package var merchants: [Merchant] {
        if case .merchantRequired(_, let merchants) = self { merchants } else { [] }
    }

    /// In seconds.
    package var retryAfter: Int64? {
        switch self {
        case .tooManyAttempts(let seconds), .busy(let seconds), .providerUnavailable(let seconds): seconds
        default: nil
        }
    }
}

package enum MerchantFault: String, Error, Sendable, Hashable, Codable {
    /// The client is not installed at the merchant, or there is no such merchant.
    case appNotInstalled = "app_not_installed"
    case notAnEmployee = "not_an_employee"
}
