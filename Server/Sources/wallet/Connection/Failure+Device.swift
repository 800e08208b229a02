import WalletAuth
import WalletAuthWire

extension Failure {
    /// The first step of advice that needs a fresh sign-in with two factors.
    static let withTwoFactors =
        "sign in with two factors (wallet sign-in --again --two-factors --username NAME)"

    /// Failures of the PIN of this device, and of that of an account.
    static func textOfPIN(_ error: WalletError) -> Text? {
        if error.code == .invalidCredentials, let left = error.remainingAttempts {
            let attempts = left == 1 ? "one attempt" : "\(left == 0 ? "no" : "\(left)") attempts"
            return Text("the PIN is wrong: \(attempts) left", "try again, or: wallet sign-in --username NAME")
        }
        return switch (error.code, error.operation) {
        case (.invalidCredentials, .loginByPIN):
            Text(
                "the PIN is wrong, or the server no longer knows this device",
                "try again, or: wallet sign-in --username NAME")
        case (.invalidCredentials, .loginByAccountPIN):
            Text(
                "the user name or the PIN is wrong, or the PIN is locked",
                "try again, or use the password: wallet sign-in --username NAME")
        case (.loginStrategyUnavailable, _):
            Text(
                "the wallet's issuer does not offer this way to sign in",
                "use the password: wallet sign-in --username NAME")
        case (.passwordChangeRequired, _):
            Text("your password must be changed first", "sign in with it: wallet sign-in --username NAME")
        case (.invalidCredentials, .changePIN): Text("the current PIN is wrong", "try again")
        case (.pinLocked, _):
            Text(
                PINLockReason.inWords(error.pinLockReason), "\(withTwoFactors), then: wallet pin set")
        case (.pinExhausted, _):
            Text(
                "too many wrong PINs on this device within thirty days; you cannot use or set a PIN here for now",
                "sign in without it; to use a PIN here again, \(withTwoFactors), then: wallet device enroll DEVICE-NAME, and "
                    + "wallet pin set")
        case (.pinNotSet, _):
            Text("no PIN is set on this device", "sign in with wallet sign-in --username NAME, then: wallet pin set")
        case (.pinTooShort, _), (.pinTooLong, _), (.pinMalformed, _): Text(reason(error), "choose another one")
        case (.pinTooCommon, _): Text("this PIN is too common", "choose another one")
        case (.deviceNotEnrolled, _):
            Text(
                "this device is not enrolled for the account",
                "\(withTwoFactors), then: wallet device enroll DEVICE-NAME")
        case (.pinServerKeyChanged, _):
            Text(
                "the server no longer has the key that your PIN was set with; nothing was sent to it",
                "sign in with your password, then: wallet pin set")
        default: nil
        }
    }

    /// Failures of the long-lived session of this device.
    static func textOfDeviceToken(_ error: WalletError, _ place: Place) -> Text? {
        switch (error.code, error.operation) {
        case (.invalidCredentials, .loginWithDeviceToken):
            Text(
                "the PIN is wrong, or the server no longer knows this device",
                "try again, or: wallet sign-in --username NAME")
        case (.noDeviceToken, _):
            Text("this device has no long-lived session", "start one: wallet device-token generate --username NAME")
        case (.deviceTokenExpired, _):
            Text(
                "the long-lived session has expired",
                "sign in with wallet sign-in --username NAME, then: wallet device-token generate --username NAME")
        case (.tokenAlreadyExpired, _): Text("the long-lived session had already ended", "nothing else is needed")
        case (.deviceAuthenticationUnsupported, _):
            Text(
                "the operator does not allow this app to use long-lived sessions, or your account has no password",
                "set a password, or the operator can allow them with: "
                    + "walletauth client update \(place.client ?? "CLIENT-ID") --device-tokens"
            )
        default: nil
        }
    }
}

extension PINLockReason {
    /// The reason of a locked PIN in words. A server that gives none means wrong PINs.
    static func inWords(_ reason: PINLockReason?) -> String {
        switch reason {
        case .tooManyTries, nil: "this device's PIN is locked after too many wrong PINs"
        case .restore: "this device's PIN was locked when the server was restored from a backup, not by wrong PINs"
        }
    }
}
