import WalletAuth

extension Failure {
    /// Failures of a recovery. The advice never is to start a recovery or to sign in with the forgotten password.
    static func textOfRecovery(_ error: WalletError) -> (message: String, advice: String)? {
        switch (error.code, error.operation) {
        case (.recoveryUnavailable, _):
            (
                "the account has more than its mailbox, and nothing of it can be shown here",
                "recover on a device that is linked to the account, or ask the server's operator"
            )
        case (.invalidCredentials, .recover):
            ("the code is wrong or too old", "begin again with: wallet recover --username NAME; it sends another")
        case (.invalidSession, .recover):
            ("the recovery took too long", "begin again with: wallet recover --username NAME; it sends another code")
        case (.walletDeactivated, .recover):
            ("an operator has deactivated this wallet, which no recovery opens", "ask the server's operator")
        case (.deviceDeactivated, .recover), (.deviceSuspended, .recover):
            (
                "an operator has closed this device, which no recovery opens",
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
                code: error.code.rawValue, message: "what you signed in with links no device",
                advice: "sign in with: wallet sign-in --again --username NAME --two-factors, then: \(enroll)")
            return
        }
        let failure = Failure(error, at: Place())
        let advice = failure.advice.contains("wallet device enroll") ? "" : ", then: \(enroll)"
        self.init(code: failure.code, message: failure.message, advice: failure.advice + advice)
    }
}
