import Foundation
import WalletAuth
import WalletAuthWire

extension Failure {
    /// What went wrong with a transaction; nil for any other error.
    static func textOfTransaction(_ error: WalletError) -> (message: String, advice: String)? {
        switch error.code {
        case .invalidQRData: ("this is no transaction's code", "give the text of the shop's QR code, or its link")
        case .noAccountForServer:
            ("the code is of another server: \(error.reason)", "use that server's wallet, or --profile NAME")
        case .transactionNotFound:
            ("there is no such transaction for your account", "ask for a new code, or sign with --account NAME")
        case .alreadyClaimed: ("another device has scanned this code", "ask for a new one")
        case .transactionOver: (words(error.transactionStatus), "ask for a new code if you still want to sign")
        case .payloadRefused:
            ("this cannot be shown safely, and nothing was signed", "update the wallet, or ask the shop")
        case .secondFactorUnavailable:
            ("this device has no factor that the transaction allows", "set a PIN: wallet pin set")
        case .deviceCooling:
            (
                "this device was enrolled lately and signs nothing yet",
                "wait until \(error.coolingUntil.map { $0.ISO8601Format() } ?? "its cooling period is over")"
            )
        case .draftUsed: ("this was signed before", "nothing else is needed")
        case .invalidDraft: ("that took too long", "start again")
        case .tooManyTransactions: ("this device has signed as often as it may in a day", "try again later")
        case .cancelledByPerson where error.operation == .signTransaction: ("nothing was signed", "scan the code again")
        case .pinLocked where error.operation == .signTransaction:
            (
                "\(PINLockReason.inWords(error.pinLockReason)); nothing was signed",
                "sign in with two factors (wallet sign-in --again --two-factors --username NAME), then: wallet pin set"
            )
        default: nil
        }
    }

    private static func words(_ status: TransactionStatus?) -> String {
        switch status {
        case .signed: "this is signed already"
        case .rejected: "this was rejected"
        case .expired: "the time to sign is over"
        case .cancelled: "the shop cancelled this"
        case .failed: "the PIN was locked, which ended this"
        default: "this cannot be signed any more"
        }
    }
}
