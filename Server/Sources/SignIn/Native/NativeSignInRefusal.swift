package import Core
internal import Kernel
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
    /// The holder closed the account, which is erased at a time. Only after a correct first factor.
    case closedByHolder(eraseAt: Timestamp)
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
    /// No service sends the code of the second factor, and the account has nothing else. Only after a correct first factor.
    case codeUndeliverable
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
    /// The person's address has an account, by now or since this registration made it. Only after the code that was sent there.
    case addressTaken
    /// The brand lets no one register any more.
    case registrationOff
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
    /// Too many wrong answers to the account's second factors, over all sign-ins. 429 with `Retry-After`, in seconds.
    case tooManyWrongCodes(retryAfter: Int64)
    /// The server has no capacity for password hashing. 503 with `Retry-After`, in seconds.
    case busy(retryAfter: Int64)
    /// Passwords cannot be verified at present. 503 with `Retry-After`, in seconds.
    case unavailable(retryAfter: Int64)

    /// The OAuth `error` (OAuth 2.0 for First-Party Applications §5.2).
    package var error: String {
        switch self {
        case .invalidCredentials, .walletDeactivated, .closedByHolder, .device, .merchant,
            .walletDeactivatedForDeviceToken,
            .deviceTokenExpired, .wrongSecondFactor(nil),
            .wrongRecoveryCode(nil),
            .recoveryUnavailable, .codeUndeliverable, .passwordNeeded, .addressTaken, .registrationOff:
            "access_denied"
        case .mfaRequired, .wrongSecondFactor, .appInstanceUnverified, .invalidInstanceCode, .emailUnverified,
            .passwordChangeRequired, .recoveryCodeRequired, .wrongRecoveryCode,
            .passwordUnacceptable, .invalidEmailCode, .noMatchingGuest, .usernameTaken, .merchantRequired:
            "insufficient_authorization"
        case .invalidSession: "invalid_session"
        case .deviceAuthenticationUnsupported, .loginStrategyUnavailable: "unauthorized_client"
        case .redirectToWeb: "redirect_to_web"
        case .tooManyAttempts, .tooManyWrongCodes, .busy, .unavailable, .providerUnavailable: "temporarily_unavailable"
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
        case .codeUndeliverable: .deliveryUnavailable
        case .mfaRequired: .mfaRequired
        case .appInstanceUnverified: .appInstanceUnverified
        case .walletDeactivated, .closedByHolder, .walletDeactivatedForDeviceToken: .walletDeactivated
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
        case .addressTaken: .addressTaken
        case .registrationOff: .registrationOff
        case .tooManyAttempts, .tooManyWrongCodes, .busy, .unavailable, .providerUnavailable: .serverError
        }
    }

    /// The symbolic `error_code`.
    package var errorCode: String { code.rawValue }

    package var status: Int {
        switch self {
        case .tooManyAttempts, .tooManyWrongCodes: 429
        case .busy, .unavailable, .providerUnavailable: 503
        default: code.httpStatus ?? 400
        }
    }

    /// The numeric `status_code` for older wallet apps.
    package var statusCode: Int {
        switch self {
        // In this numbering, a busy server's HTTP status is a suspended device's number.
        case .tooManyAttempts, .tooManyWrongCodes: status
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

    /// When the account that its holder closed is erased.
    package var eraseAt: Timestamp? {
        if case .closedByHolder(let end) = self { end } else { nil }
    }

    /// In seconds.
    package var retryAfter: Int64? {
        switch self {
        case .tooManyAttempts(let seconds), .tooManyWrongCodes(let seconds), .busy(let seconds),
            .unavailable(let seconds), .providerUnavailable(let seconds):
            seconds
        default: nil
        }
    }
}

package enum MerchantFault: String, Error, Sendable, Hashable, Codable {
    /// The client is not installed at the merchant, or there is no such merchant.
    case appNotInstalled = "app_not_installed"
    case notAnEmployee = "not_an_employee"
}

/// The kind of credential in a sign-in step. It only affects the text of a refusal.
enum SignInCredential: Sendable {
    /// A user name and password, or a later step of the sign-in they began.
    case password
    /// An assertion by the device's key and its PIN, or by the key that requires the holder's presence.
    case assertion
    /// A user name and the PIN of the account.
    case accountPIN
    case loginNonce
    /// A code or an ID token of an identity provider.
    case provider
    case passkey

    init(_ form: FormParameters) {
        self =
            switch form["login_method"] {
            case "pin", "device_token": .assertion
            case "account_pin": .accountPIN
            case "nonce": .loginNonce
            case "passkey": .passkey
            case "federated_identity" where form["username"] == nil: .provider
            default: .password
            }
    }

    /// The explanation of a wrong credential.
    fileprivate var explanation: String {
        switch self {
        // The same text for everyone from the first attempt. It reveals neither whether attempts are being slowed down
        // nor whether the account exists.
        case .password:
            "The user name or password is incorrect. After several wrong attempts, even the right password is "
                + "refused for a while: if you have tried many times, wait a few minutes."
        case .assertion:
            "The assertion is invalid: another key signed it, it is for something else, or its challenge has "
                + "expired. This says nothing about the PIN. Request another evaluation or challenge, and sign that."
        // The same text for everyone from the first attempt, as for the password.
        case .accountPIN:
            "The user name or PIN is incorrect, or the PIN is locked. Five wrong PINs in a row lock it until a new one is "
                + "set; the password still works."
        case .passkey:
            "The passkey's response is invalid: it is unknown here, another account's, for another app or sign-in, was "
                + "used, or its five minutes are over. Request new options and have them signed."
        case .loginNonce:
            "The login nonce is invalid: it is unknown, was used, has expired, or is for another app or key."
        case .provider:
            "The identity provider's response is invalid: it was used, has expired, is for another app, or has another "
                + "nonce. Start again at the provider."
        }
    }
}

extension NativeSignInRefusal {
    static let registrationOffAdvice =
        "New people cannot make an account by themselves here. Ask the operator of the wallet for one."
    static let usernameTakenAdvice = "The user name is taken, or looks like one that is. Choose another one."

    /// The `error_description`: English and ASCII, as RFC 6749 §5.2 requires. Apps that show their own text use
    /// `error_code`.
    func explanation(of credential: SignInCredential) -> String {
        switch self {
        case .invalidCredentials, .device(.invalidCredentials): credential.explanation
        case .walletDeactivated, .walletDeactivatedForDeviceToken: "This wallet has been deactivated."
        case .closedByHolder(let end):
            "The holder closed this wallet. It is erased at \(end.text), unless the code in the message about it takes that "
                + "back before."
        case .mfaRequired: "This device is not linked to the account: a second factor is needed."
        case .recoveryCodeRequired: "A code was sent, if the account exists and can be reached."
        case .wrongRecoveryCode: "The code is incorrect or has expired."
        case .recoveryUnavailable:
            "The account is protected by more than its mailbox. Sign in with its passkey on a page, recover it on an enrolled "
                + "device that is past its cooling period (one day, unless the operator set another), or contact the operator "
                + "of the wallet."
        case .codeUndeliverable:
            "A second factor is needed, and this server cannot send its code. Use a device that is linked to the account, or "
                + "contact the operator of the wallet."
        case .wrongSecondFactor: "The answer is incorrect, was used before, or has expired."
        case .deviceTokenExpired: "The long-lived session has ended. Sign in with the password and start another one."
        case .deviceAuthenticationUnsupported: "This app may not use long-lived sessions."
        case .loginStrategyUnavailable: "The brand does not offer this way to sign in. Use the password."
        case .device(.deviceDeactivated): "This device has been deactivated."
        case .device(.deviceSuspended): "This device has been suspended."
        case .device(let refusal): refusal.detail
        case .appInstanceUnverified:
            "Confirm this installation first, with the code that was sent to its holder."
        case .emailUnverified: "Confirm the e-mail address first, with the code that was sent to it."
        case .passwordChangeRequired: "Set a new password first."
        case .passwordNeeded: "The password must be changed. Sign in with it; a PIN cannot set a new one."
        case .passwordUnacceptable(_, let fault): fault.explanation
        case .invalidEmailCode, .invalidInstanceCode: "The code is incorrect or has expired."
        case .noMatchingGuest:
            "The provider knows the person, but no account is linked to that identity yet. Create one."
        case .usernameTaken: Self.usernameTakenAdvice
        case .addressTaken:
            "The address has an account already. Sign in to it, or recover it if the password is forgotten."
        case .registrationOff: Self.registrationOffAdvice
        case .providerUnavailable: "The identity provider cannot be reached right now. Try again later."
        case .invalidSession: "The sign-in has expired or was started elsewhere. Start again."
        case .redirectToWeb: "This sign-in must continue in the browser."
        case .merchantRequired: "The person works for several merchants. Name one of them as merchant_id."
        case .merchant(.appNotInstalled): "The app is not installed for the merchant."
        case .merchant(.notAnEmployee): "The person is not an employee of the merchant."
        case .tooManyAttempts: "Too many attempts from this network."
        case .tooManyWrongCodes: "Too many wrong codes."
        case .busy: "Many people are signing in right now."
        case .unavailable: "Signing in is not possible right now: passwords cannot be verified. Try again later."
        }
    }
}

extension PasswordRuleViolation {
    /// For developers and terminals.
    var explanation: String {
        switch self {
        case .tooShort:
            "The new password is too short: it needs at least \(PasswordRules.length.lowerBound) characters."
        case .tooLong:
            "The new password is too long: it may have at most \(PasswordRules.length.upperBound) characters."
        case .tooCommon: "The new password is too common."
        case .containsName: "The new password contains the user name or the e-mail address."
        case .breached: "The new password is in a list of stolen passwords."
        case .unchanged: "The new password is the same as the old one."
        }
    }
}
