import Testing
import WalletAuth

@testable import wallet

@Suite("What the terminal takes for the transfer that was asked for")
struct ApprovedTransferTests {
    @Test(
        "A series, or trust in a payee, does not pass for one transfer",
        arguments: ["BEGIN_SERIES", "END_SERIES", "TRUST_PAYEE", "DISTRUST_PAYEE"])
    func withEffect(type: String) { #expect(!ConsentDialogue.isOnePayment(type)) }

    @Test("Any other type counts as one transfer", arguments: ["TRANSFER", "PAYMENT", "P2P"])
    func one(type: String) { #expect(ConsentDialogue.isOnePayment(type)) }

    @Test("After a page, the terminal says what the person did, whatever became of the page's window")
    func afterPage() {
        for page in [SCA.Verification.passkey, .password, .hostedPIN] {
            for (fault, words) in [
                (SCA.Fault.unfinished, "You left the page without approving the payment."),
                (.declined, "You did not answer on the page."),
            ] {
                let said = ConsentDialogue.words(fault, by: page, remainingAttempts: nil, resendAfter: nil)
                #expect(said == words)
            }
        }
        #expect(Failure.leftPage.line.contains("you did not approve it on the page; nothing was paid"))
    }
}
