import Foundation
import WalletAuth
import WalletAuthWire

extension Failure {
    /// Failures of a recovery. The advice never is to start a recovery or to sign in with the forgotten password.
    static func textOfRecovery(_ error: WalletError) -> Text? {
        switch (error.code, error.operation) {
        case (.recoveryCooling, _):
            Text(
                CoolingPeriod.sentence(until: error.coolingUntil, refusing: error.operation),
                error.coolingUntil == nil ? "to see when it is over, run: wallet mfa list" : "try again then")
        case (.recoveryUnavailable, _):
            Text(
                "recovering this account needs more than its mailbox, and its other factors cannot be used here",
                "sign in with a passkey if you have one, recover on a device that is linked to the account, or ask "
                    + "the server's operator")
        case (.invalidCredentials, .recover):
            Text(
                "the code is wrong or has expired",
                "start again with: wallet recover --username NAME; it sends a new code")
        case (.invalidSession, .recover):
            Text("the recovery took too long", "start again with: wallet recover --username NAME; it sends a new code")
        case (.walletDeactivated, .recover):
            Text("an operator deactivated this wallet; recovery cannot reactivate it", "ask the server's operator")
        case (.deviceDeactivated, .recover), (.deviceSuspended, .recover):
            Text(
                "an operator deactivated this device; recovery cannot reactivate it",
                "recover on another device, or ask the server's operator")
        default: nil
        }
    }

    /// The person is signed in, but the device could not be linked.
    init(linking error: WalletError) {
        let enroll = "wallet device enroll DEVICE-NAME"
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

/// The time after a recovery that used only the mailbox. During it the server refuses changes to the account's factors.
/// The holder can then read of a recovery before someone who took over the mailbox can keep the account.
struct CoolingPeriod {
    let end: Date

    /// - Parameter factors: the server's list for the account.
    /// - Returns: nil if there is no cooling period, or if it is over.
    init?(_ factors: AccountFactorList, now: Date = Date()) {
        guard let until = factors.coolingUntil else { return nil }
        end = until.date
        guard now < end else { return nil }
    }

    /// The consequence, without a full stop.
    var sentence: String { Self.sentence(until: end, refusing: nil) }

    /// - Parameters:
    ///   - end: nil if it is unknown.
    ///   - operation: what was tried; nil for no one thing.
    static func sentence(until end: Date?, refusing operation: WalletError.Operation?) -> String {
        let refused =
            switch operation {
            case .exportAccount?: "export your account"
            case .closeAccount?: "close your account"
            case .changeContact?: "change your e-mail address or phone number"
            case .changePassword?: "change your password"
            default: "enroll a device, set a PIN or change a second factor"
            }
        let time = end.map { "until \($0.formatted(.iso8601))" } ?? "for a day"
        return "your password was recovered recently: \(time) you cannot \(refused)"
    }
}
