import WalletAuth

extension Failure {
    /// Refusals that neither another try nor another sign-in changes, and what does. Nil for any other error.
    static func textOfRefusal(_ error: WalletError, _ place: Place) -> Text? {
        guard error.outcome == .refused else { return nil }
        return switch error.code {
        case .lastWayIn:
            Text(
                "it is your only way to sign in",
                "set a password first (wallet recover --username NAME), or add a passkey: wallet passkey add")
        case .tooManyPasskeys: Text(reason(error), "remove one first: wallet passkey list")
        case .tooManyIdentities: Text(reason(error), "remove one first: wallet identity list")
        case .identityTaken:
            Text(
                "another account has this identity", "sign in to that account, or remove it there: wallet identity list"
            )
        case .identityNotFound: Text("your account has no such identity", "see: wallet identity list")
        case .factorNotFound where error.operation == .changePasskeys:
            Text("your account has no such passkey", "see: wallet passkey list")
        case .factorNotFound: Text("your account has no such second factor", "see: wallet mfa list")
        case .nothingToConfirm: Text("no authenticator app waits for its code", "begin with: wallet mfa authenticator")
        case .unmetAuthenticationRequirements where error.isFromWalletAuth:
            Text("none of your factors is strong enough: \(reason(error))", "set one up: wallet mfa authenticator")
        case .merchantRequired:
            Text(reason(error), "sign in on the page, which asks for the merchant: wallet sign-in --browser")
        case .appNotInstalled, .notAnEmployee: Text(reason(error), "ask the merchant")
        case .anotherMerchant: Text("your session is for another merchant", "sign out first: wallet sign-out")
        case .deviceKeyTaken:
            Text(
                "this device's key is enrolled already",
                "enroll again, which makes another key: wallet device enroll DEVICE-NAME")
        case .deviceNotActive: Text("this device is suspended or deactivated", "ask the server's operator")
        case .nothingToVerify: Text("this device waits for no code", "nothing else is needed")
        case .insufficientScope:
            Text(reason(error), "sign in with the scope that it needs: wallet sign-in --again --scope \"SCOPE …\"")
        case .clientNotAllowed, .returnURLNotRegistered:
            Text(
                reason(error),
                "have the server's operator check the client with: walletauth client show \(place.client ?? "CLIENT-ID")"
            )
        case .idempotencyMismatch: Text("this was sent before with other details", "begin again")
        case .transactionNotConfirmed, .payloadMismatch:
            Text("what you confirmed is not what was to be signed; nothing was signed", "scan the code again")
        default: nil
        }
    }
}
