import Foundation
import WalletAuth
import WalletAuthWire

extension Failure {
    /// The failure of a transaction; nil for any other error.
    static func textOfTransaction(_ error: WalletError) -> Text? {
        switch error.code {
        case .invalidQRData where error.operation == .signInElsewhere:
            Text(
                "this is not a sign-in page's code",
                "use the full text of the code, which begins with WALLET-LOGIN; for a shop's: wallet transactions approve"
            )
        case .invalidQRData:
            Text(
                "this is not a transaction code",
                "use the full text of the shop's QR code, or its link in quotes, because the code comes after its #")
        case .numberMismatch:
            Text(
                "the page shows another number, so this sign-in was stopped",
                "if you opened the page, scan its new code; if not, you don't need to do anything")
        case .scanExpired:
            Text("this code is no longer valid", "use the one that the page shows now")
        case .noAccountForServer:
            Text("the code belongs to another server: \(error.reason)", "use that server's wallet, or --profile NAME")
        case .transactionNotFound:
            Text("there is no such transaction for your account", "ask for a new code, or sign with --account NAME")
        case .alreadyClaimed:
            Text("another device has scanned this code", "if it is yours, sign there; if not, ask for a new code")
        case .transactionOver where error.operation == .signInElsewhere:
            Text("this sign-in is over", "scan a new code")
        case .transactionOver: textOfEnd(error.transactionStatus)
        case .payloadRefused:
            Text("this cannot be shown safely; nothing was signed", "update the wallet, or ask the shop")
        case .secondFactorUnavailable: textOfShortage(error.secondFactorShortage)
        case .deviceCooling:
            Text(
                "this device was enrolled recently and cannot sign yet",
                "wait until \(error.coolingUntil.map { $0.ISO8601Format() } ?? "its cooling period is over")")
        case .alreadyVerified where error.operation == .approvePayment:
            Text("it was already approved, on another device or in another way", "see: wallet approvals list")
        case .dataError where error.operation == .approvePayment && error.pinLockReason != nil:
            Text(
                "there were too many wrong PINs: it has ended, and this device's PIN is locked now",
                "to set a new PIN, \(withTwoFactors), then: wallet pin set")
        case .dataError where [.approvePayment, .rejectPayment].contains(error.operation):
            Text("it has ended: it expired, was refused, locked or carried out", "see: wallet approvals list")
        case .eventNotFound where [.approvePayment, .rejectPayment].contains(error.operation):
            Text("it no longer waits on this device", "see: wallet approvals list")
        case .deviceNotFound where [.listPending, .approvePayment, .rejectPayment].contains(error.operation):
            Text(
                "this session was not opened on an enrolled device",
                "\(withTwoFactors), then: wallet device enroll DEVICE-NAME")
        case .draftUsed: textOfEnd(.signed)
        case .invalidDraft: Text("that took too long", "start again")
        case .tooManyTransactions: Text("this device has reached its daily limit of signatures", "try again later")
        case .cancelledByPerson where error.operation == .signTransaction:
            Text("nothing was signed", "scan the code again")
        // Only the device's signature was checked: no name or password was sent. A wrong PIN comes with what is left.
        case .invalidCredentials where error.operation == .signTransaction && error.remainingAttempts == nil:
            Text(
                "the server does not know this device, or does not let its app sign; nothing was signed",
                "\(withTwoFactors), then: wallet device enroll DEVICE-NAME, and wallet pin set")
        case .pinLocked where error.operation == .signTransaction:
            Text(
                "\(PINLockReason.inWords(error.pinLockReason)); nothing was signed",
                "\(withTwoFactors), then: wallet pin set")
        default: nil
        }
    }

    /// The factor that the device lacks for signing, and the next step. This wallet supports no biometrics.
    private static func textOfShortage(_ shortage: SecondFactorShortage?) -> Text {
        switch (shortage?.required, shortage?.pin) {
        case (_, .locked(let reason)):
            Text("\(PINLockReason.inWords(reason)); nothing was signed", "\(withTwoFactors), then: wallet pin set")
        case (_, .exhausted(let until)):
            Text(
                "too many wrong PINs on this device within thirty days; the PIN is locked until \(until.date.ISO8601Format()); nothing was signed",
                "wait until then; or \(withTwoFactors), then: wallet device enroll DEVICE-NAME, and wallet pin set")
        case (.biometric, _):
            Text(
                "this can be signed only with face or fingerprint, which this terminal does not have",
                "scan the code with a phone that has one set up, or ask for a code that accepts a PIN (wallet transactions create: "
                    + "omit --require)")
        case (_, .notSet): Text("no PIN is set on this device", "sign in, then: wallet pin set")
        case (_, nil):
            Text("this device has no factor that the transaction allows", "see: wallet pin status")
        }
    }

    /// How a transaction ended. A new code for one that is signed, or may be, would have the person pay twice.
    private static func textOfEnd(_ status: TransactionStatus?) -> Text {
        switch status {
        case .signed: Text("this was already signed", "nothing else is needed")
        case .rejected: Text("this was rejected", "ask for a new code if you want to sign after all")
        case .expired: Text("the time to sign has expired", "ask for a new code if you still want to sign")
        case .cancelled: Text("the shop cancelled this", "ask the shop")
        case .failed:
            Text(
                "the PIN was locked, so this was stopped",
                "\(withTwoFactors), then: wallet pin set; and ask for a new code")
        default: Text("this can no longer be signed", "ask the shop whether it is signed already")
        }
    }
}
