package import WalletAuthWire

/// Why a native sign-in did not yield a code: the states of the wire contract's section 3, each with the OAuth error,
/// the symbolic code and the number that wallet apps switch on.
package enum SignInRefusal: Sendable {
    /// Any wrong, unknown, locked or spent credential; the same for all of them.
    case invalidCredentials
    /// Too many consecutive failures, or an operator; told only to a known device or after the right first factor.
    case walletDeactivated
    /// The same at a sign-in by a device token, where it has another number.
    case walletDeactivatedForDeviceToken
    /// The device token is over or was replaced; told to whoever proved the device's key and a factor.
    case deviceTokenExpired
    /// The client may not use long-lived sessions.
    case deviceAuthenticationUnsupported
    /// Too many failures on this device, or an operator; told to whoever proved its key.
    case deviceDeactivated
    /// By an operator; told to whoever proved its key.
    case deviceSuspended
    /// A wrong PIN on this device, which cost a try; told to whoever proved its key.
    case wrongPIN(remaining: Int)
    /// Too many wrong PINs on this device; told to whoever proved its key.
    case pinLocked
    /// A second factor first: go on with the session and `mfa_token` with `mfa_answer`, `mfa_method` or `resend_mfa`.
    case mfaRequired(AuthSession, InsufficientAuthorization.SecondFactor)
    /// A recovery: go on with the session and `recovery_answer` or `resend_recovery`. The same for every name.
    case recoveryCodeRequired(AuthSession, RecoveryPrompt)
    /// The recovery's code is wrong; the session goes on as long as tries are left, and is `nil` after the last.
    case wrongRecoveryCode(AuthSession?)
    /// The account has more than its mailbox, and nothing of it can be asked for here; told after the right code.
    case recoveryUnavailable
    /// The second factor is wrong; the session goes on as long as tries are left, and is `nil` after the last.
    case wrongSecondFactor(AuthSession?)
    /// The installation has to confirm its code first: go on with the session and `app_instance_code` or
    /// `resend_app_instance_code`.
    case appInstanceUnverified(AuthSession, CodeSending?)
    /// The installation's code is wrong or too old; the session goes on.
    case invalidInstanceCode(AuthSession)
    /// The address has to be confirmed first: go on with the session and `email_code` or `resend_email`.
    case emailUnverified(AuthSession, CodeSending?)
    /// A new password has to be set first: go on with the session and `new_password`.
    case passwordChangeRequired(AuthSession)
    /// The new password breaks a rule; the session goes on.
    case passwordUnacceptable(AuthSession, PasswordRuleViolation)
    /// The code is wrong or too old; the session goes on.
    case invalidEmailCode(AuthSession)
    /// The provider knows the person and this server does not: an account can be made with the session.
    case noMatchingGuest(AuthSession)
    /// The new account's name is taken; the session goes on.
    case usernameTaken(AuthSession)
    /// The identity provider cannot be asked; seconds. 503 with `Retry-After`: nothing was wrong with what was given.
    case providerUnavailable(retryAfter: Int64)
    /// The session is malformed, expired, or belongs to another key or client: begin again.
    case invalidSession
    /// Only a browser will do.
    case redirectToWeb
    /// The person works for several merchants: go on with the session and the `merchant_id` of one of them.
    case merchantRequired(AuthSession, [Merchant])
    /// The merchant's rules forbid it.
    case merchant(MerchantFault)
    /// Too many attempts from this address; seconds. 429 with `Retry-After`.
    case tooManyAttempts(retryAfter: Int64)
    /// The server is out of room for password work; seconds. 503 with `Retry-After`.
    case busy(retryAfter: Int64)

    /// The OAuth `error` (OAuth 2.0 for First-Party Applications §5.2).
    package var error: String {
        switch self {
        case .invalidCredentials, .walletDeactivated, .deviceDeactivated, .deviceSuspended, .wrongPIN, .pinLocked,
            .merchant, .walletDeactivatedForDeviceToken, .deviceTokenExpired, .wrongSecondFactor(nil),
            .wrongRecoveryCode(nil),
            .recoveryUnavailable:
            "access_denied"
        case .mfaRequired, .wrongSecondFactor, .appInstanceUnverified, .invalidInstanceCode, .emailUnverified,
            .passwordChangeRequired, .recoveryCodeRequired, .wrongRecoveryCode,
            .passwordUnacceptable, .invalidEmailCode, .noMatchingGuest, .usernameTaken, .merchantRequired:
            "insufficient_authorization"
        case .invalidSession: "invalid_session"
        case .deviceAuthenticationUnsupported: "unauthorized_client"
        case .redirectToWeb: "redirect_to_web"
        case .tooManyAttempts, .busy, .providerUnavailable: "temporarily_unavailable"
        }
    }

    /// Our own code for it, with its HTTP status and its number in the wire contract's table.
    private var entry: ErrorCode {
        switch self {
        case .invalidCredentials, .invalidEmailCode, .invalidInstanceCode, .wrongSecondFactor, .wrongRecoveryCode,
            .wrongPIN:
            .invalidCredentials
        case .recoveryCodeRequired: .recoveryCodeRequired
        case .recoveryUnavailable: .recoveryUnavailable
        case .mfaRequired: .mfaRequired
        case .deviceDeactivated: .deviceDeactivated
        case .deviceSuspended: .deviceSuspended
        case .pinLocked: .pinLocked
        case .appInstanceUnverified: .appInstanceUnverified
        case .walletDeactivated, .walletDeactivatedForDeviceToken: .walletDeactivated
        case .deviceTokenExpired: .deviceTokenExpired
        case .deviceAuthenticationUnsupported: .deviceAuthenticationUnsupported
        case .emailUnverified: .emailUnverified
        case .passwordChangeRequired, .passwordUnacceptable: .passwordChangeRequired
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
    package var errorCode: String { entry.rawValue }

    /// The HTTP status.
    package var status: Int {
        switch self {
        case .tooManyAttempts: 429
        case .busy, .providerUnavailable: 503
        default: entry.httpStatus ?? 400
        }
    }

    /// The numeric `status_code` of the wallets of the older kind.
    package var statusCode: Int {
        switch self {
        // The HTTP status of a busy server would be a suspended device's number here.
        case .tooManyAttempts: status
        case .walletDeactivatedForDeviceToken: entry.statusCode(during: .usingDeviceToken)
        default: entry.statusCode()
        }
    }

    /// What carries the sign-in on, where it can be.
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

    /// The second factor that is asked for.
    package var secondFactor: InsufficientAuthorization.SecondFactor? {
        if case .mfaRequired(_, let factor) = self { factor } else { nil }
    }

    /// What became of the code that the person is asked for.
    package var sentCode: CodeSending? {
        switch self {
        case .emailUnverified(_, let sending), .appInstanceUnverified(_, let sending): sending
        default: nil
        }
    }

    /// The code of a recovery that is asked for.
    package var recovery: RecoveryPrompt? {
        if case .recoveryCodeRequired(_, let prompt) = self { prompt } else { nil }
    }

    /// The merchants to choose from.
    package var merchants: [Merchant] {
        if case .merchantRequired(_, let merchants) = self { merchants } else { [] }
    }

    /// Seconds for `Retry-After`.
    package var retryAfter: Int64? {
        switch self {
        case .tooManyAttempts(let seconds), .busy(let seconds), .providerUnavailable(let seconds): seconds
        default: nil
        }
    }
}

/// Why the merchant's rules refuse a sign-in.
package enum MerchantFault: String, Error, Sendable, Hashable, Codable {
    /// The client is not installed on the merchant, or there is no such merchant.
    case appNotInstalled = "app_not_installed"
    /// The person is not an employee of the merchant.
    case notAnEmployee = "not_an_employee"
}
