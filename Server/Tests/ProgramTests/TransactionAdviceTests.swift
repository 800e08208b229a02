import Testing
import WalletAuth
import WalletAuthWire

@testable import wallet

@Suite("What `wallet` advises about a transaction")
struct TransactionAdviceTests {
    @Test("A link without what is behind its # comes with the reason why a shell cut it")
    func cutLink() {
        let error = WalletError(
            .invalidQRData, .refused, during: .signTransaction, reachedServer: true, reason: "the server says no")
        #expect(
            Failure(error, at: Failure.Place()).line.contains("in quotes, because the code comes after its #"))
    }

    @Test("A code that is signed already says so, and never invites to pay a second time")
    func signedAlready() {
        func failure(_ code: WalletError.Code, _ status: TransactionStatus?) -> Failure {
            Failure(
                WalletError(
                    code, .refused, during: .signTransaction, reachedServer: true, transactionStatus: status,
                    reason: "the server says no"), at: Failure.Place())
        }
        for signed in [failure(.transactionOver, .signed), failure(.draftUsed, nil)] {
            #expect(signed.message == "this was already signed")
            #expect(signed.advice == "nothing else is needed")
        }
        for unclear in [failure(.transactionOver, nil), failure(.transactionOver, .cancelled)] {
            #expect(!unclear.line.contains("new code"), "\(unclear.line)")
        }
        for unsigned in [TransactionStatus.rejected, .expired, .failed] {
            let line = failure(.transactionOver, unsigned).line
            #expect(line.contains("ask for a new code"), "\(line)")
        }
    }

    @Test("A device that the server no longer knows is not called a wrong user name or password, nor is a wrong PIN")
    func unknownDevice() {
        func line(_ left: Int?) -> String {
            Failure(
                WalletError(
                    .invalidCredentials, .refused, during: .signTransaction, reachedServer: true,
                    remainingAttempts: left, reason: "the server says no"), at: Failure.Place()
            ).line
        }
        let removed = line(nil)
        #expect(removed.hasPrefix("wallet: the server does not know this device"), "\(removed)")
        #expect(removed.contains("nothing was signed"), "\(removed)")
        #expect(removed.contains("wallet device enroll DEVICE-NAME"), "\(removed)")
        #expect(line(3).hasPrefix("wallet: the PIN is wrong: 3 attempts left"), "\(line(3))")
        for said in [removed, line(3)] { #expect(!said.contains("password"), "\(said)") }
    }

    @Test(
        "A transaction that this device cannot sign: the cause is named, and only what leads out of it",
        arguments: [
            (SecondFactorShortage(required: .pin, pin: .notSet), "no PIN is set", "wallet pin set"),
            (
                SecondFactorShortage(required: .any, pin: .locked(.tooManyTries)), "locked after too many wrong PINs",
                "--two-factors --username NAME), then: wallet pin set"
            ),
            (
                SecondFactorShortage(required: .pin, pin: .locked(.restore)), "restored from a backup",
                "--two-factors --username NAME), then: wallet pin set"
            ),
            (
                SecondFactorShortage(required: .pin, pin: .exhausted(until: NumericDate(clamping: 1_900_000_000))),
                "locked until 2030-03-17T17:46:40Z", "wallet device enroll DEVICE-NAME, and wallet pin set"
            ),
            (SecondFactorShortage(required: .biometric), "only with face or fingerprint", "scan the code with a phone"),
        ])
    func shortage(shortage: SecondFactorShortage, cause: String, advice: String) {
        let failure = Failure(
            WalletError(
                .secondFactorUnavailable, .refused, during: .signTransaction, reachedServer: true,
                secondFactorShortage: shortage, reason: "the server says no"), at: Failure.Place())
        #expect(failure.code == "second_factor_unavailable")
        #expect(failure.message.contains(cause), "\(failure.line)")
        #expect(failure.advice.contains(advice), "\(failure.line)")
        #expect(failure.line.contains("wallet pin set") == (shortage.required != .biometric), "\(failure.line)")
    }

    @Test("A transaction is signed with the PIN where that is allowed, in whichever order the server lists the factors")
    func usualFactor() {
        #expect(TransactionDialogue.usual(of: [.biometric, .pin]) == .pin)
        #expect(TransactionDialogue.usual(of: [.pin, .biometric]) == .pin)
        #expect(TransactionDialogue.usual(of: [.biometric]) == .biometric)
    }
}
