import WalletAuthWire

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

    init(_ form: FormParameters) {
        self =
            switch form["login_method"] {
            case "pin", "device_token": .assertion
            case "account_pin": .accountPIN
            case "nonce": .loginNonce
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
        case .loginNonce:
            "The login nonce is invalid: it is unknown, was used, has expired, or is for another app or key."
        case .provider:
            "The identity provider's response is invalid: it was used, has expired, is for another app, or has another "
                + "nonce. Start again at the provider."
        }
    }
}

extension NativeSignInRefusal {
    /// The `error_description`: English and ASCII, as RFC 6749 §5.2 requires. Apps that show their own text use
    /// `error_code`.
    func explanation(of credential: SignInCredential) -> String {
        switch self {
        case .invalidCredentials, .device(.invalidCredentials): credential.explanation
        case .walletDeactivated, .walletDeactivatedForDeviceToken: "This wallet has been deactivated."
        case .mfaRequired: "This device is not linked to the account: a second factor is needed."
        case .recoveryCodeRequired: "A code was sent, if the account exists and can be reached."
        case .wrongRecoveryCode: "The code is incorrect or has expired."
        case .recoveryUnavailable:
            "The account is protected by more than its mailbox. Recover it on an enrolled device that is past its "
                + "cooling period (one day, unless the operator set another), or contact the operator of the wallet."
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
        case .usernameTaken: "The user name is taken. Choose another one."
        case .providerUnavailable: "The identity provider cannot be reached right now. Try again later."
        case .invalidSession: "The sign-in has expired or was started elsewhere. Start again."
        case .redirectToWeb: "This sign-in must continue in the browser."
        case .merchantRequired: "The person works for several merchants. Name one of them as merchant_id."
        case .merchant(.appNotInstalled): "The app is not installed for the merchant."
        case .merchant(.notAnEmployee): "The person is not an employee of the merchant."
        case .tooManyAttempts: "Too many attempts from this network."
        case .busy: "Many people are signing in right now."
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
        case .breached: "The new password is in a list of stolen passwords."
        case .unchanged: "The new password is the same as the old one."
        }
    }
}
