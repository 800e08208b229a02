import AuthCore
import WalletAuthWire

/// What a step of a native sign-in brought, for the words of its refusal alone.
enum SignInCredential: Sendable {
    /// A user name and a password, also where a step goes on with what they began.
    case password
    /// An assertion by the device's key and its PIN, or the key behind its holder's presence.
    case assertion
    case loginNonce
    /// A code or an ID token of an identity provider.
    case provider

    init(_ form: FormParameters) {
        self =
            switch form["login_method"] {
            case "pin", "device_token": .assertion
            case "nonce": .loginNonce
            case "federated_identity" where form["username"] == nil: .provider
            default: .password
            }
    }

    /// Whatever is wrong with it.
    fileprivate var explanation: String {
        switch self {
        // To everybody from the first time on: whether guesses are being slowed, and whether there is an account at all,
        // is nobody's to learn.
        case .password:
            "The user name or the password is not right. After several tries even the right password is refused for a "
                + "while: if you have tried often, wait some minutes."
        case .assertion:
            "The assertion is not right: another key signed it, it is for something else, or its challenge is over. It says "
                + "nothing of the PIN. Ask for another evaluation or challenge, and sign that."
        case .loginNonce: "The login nonce is not right: it is unknown, used or too old, or for another app or key."
        case .provider:
            "What the identity provider gave is not right: it is used or too old, for another app, or its nonce is another "
                + "one. Begin at the provider again."
        }
    }
}

extension SignInRefusal {
    /// The `error_description`: in English and ASCII, as RFC 6749 §5.2 has it. An app that shows something of its own goes
    /// by `error_code`.
    /// - Parameter credential: what the step brought.
    func explanation(of credential: SignInCredential) -> String {
        switch self {
        case .invalidCredentials: credential.explanation
        case .walletDeactivated, .walletDeactivatedForDeviceToken: "This wallet has been deactivated."
        case .mfaRequired: "This device is not linked to the account: a second factor is needed."
        case .recoveryCodeRequired: "A code was sent, if the account exists and can be reached."
        case .wrongRecoveryCode: "The code is not right or has expired."
        case .recoveryUnavailable:
            "The account has more than its mailbox: recover it on an enrolled device that is past its cooling period (a day "
                + "where the operator set no other), or ask whoever runs the wallet."
        case .wrongSecondFactor: "The answer is not right, was used before, or is too old."
        case .deviceTokenExpired: "The long-lived session is over. Sign in with the password, and begin another."
        case .deviceAuthenticationUnsupported: "This app may not use long-lived sessions."
        case .deviceDeactivated: "This device has been deactivated."
        case .deviceSuspended: "This device has been suspended."
        case .wrongPIN: "The PIN is not right."
        case .pinLocked: "Too many wrong PINs. Sign in with a second factor and set a new one."
        case .appInstanceUnverified:
            "This installation has to be confirmed first, by the code that was sent to its holder."
        case .emailUnverified: "The e-mail address has to be confirmed first, by the code that was sent to it."
        case .passwordChangeRequired: "A new password has to be set first."
        case .passwordUnacceptable(_, let fault): fault.explanation
        case .invalidEmailCode, .invalidInstanceCode: "The code is not right or has expired."
        case .noMatchingGuest: "The provider knows the person, and no account is linked to that: make one."
        case .usernameTaken: "The user name is taken: choose another."
        case .providerUnavailable: "The identity provider cannot be asked just now. Try again later."
        case .invalidSession: "The sign-in has expired or was begun elsewhere. Begin again."
        case .redirectToWeb: "This sign-in needs the browser."
        case .merchantRequired: "The person works for several merchants: name one of them as merchant_id."
        case .merchant(.appNotInstalled): "The app is not installed on the merchant."
        case .merchant(.notAnEmployee): "The person is not an employee of the merchant."
        case .tooManyAttempts: "Too many attempts from this network."
        case .busy: "Many people are signing in right now."
        }
    }
}

extension PasswordFault {
    /// For developers, and for terminals.
    var explanation: String {
        switch self {
        case .tooShort: "The new password is too short: it needs at least 8 characters."
        case .tooLong: "The new password is too long: it has at most 256 characters."
        case .tooCommon: "The new password is one of those that are tried first."
        case .breached: "The new password is in a list of stolen ones."
        case .unchanged: "The new password is the one before."
        }
    }
}
