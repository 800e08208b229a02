import WalletAuth

extension Failure {
    /// Failures of a recovery. The advice never is to start a recovery or to sign in with the forgotten password.
    static func textOfRecovery(_ error: WalletError) -> (message: String, advice: String)? {
        switch (error.code, error.operation) {
        case (.recoveryUnavailable, _):
            (
                "recovering this account needs more than its mailbox, and its other factors cannot be used here",
                "recover on a device that is linked to the account, or ask the server's operator"
            )
        case (.invalidCredentials, .recover):
            (
                "the code is wrong or has expired",
                "start again with: wallet recover --username NAME; it sends a new code"
            )
        case (.invalidSession, .recover):
            ("the recovery took too long", "start again with: wallet recover --username NAME; it sends a new code")
        case (.walletDeactivated, .recover):
            ("an operator deactivated this wallet; recovery cannot reactivate it", "ask the server's operator")
        case (.deviceDeactivated, .recover), (.deviceSuspended, .recover):
            (
                "an operator deactivated this device; recovery cannot reactivate it",
                "recover on another device, or ask the server's operator"
            )
        default: nil
        }
    }

    /// The person is signed in, but the device could not be linked.
    init(linking error: WalletError) {
        let enroll = "wallet device enroll NAME"
        guard error.code != .insufficientUserAuthentication else {
            self.init(
                code: error.code.rawValue, message: "the factors you signed in with cannot link a device",
                advice: "sign in with: wallet sign-in --again --username NAME --two-factors, then: \(enroll)")
            return
        }
        let failure = Failure(error, at: Place())
        let advice = failure.advice.contains("wallet device enroll") ? "" : ", then: \(enroll)"
        self.init(code: failure.code, message: failure.message, advice: failure.advice + advice)
    }
}
