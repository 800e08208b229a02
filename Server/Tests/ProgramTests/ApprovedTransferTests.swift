import Testing

@testable import wallet

@Suite("What the terminal takes for the transfer that was asked for")
struct ApprovedTransferTests {
    @Test(
        "A series, or trust in a payee, does not pass for one transfer",
        arguments: ["BEGIN_SERIES", "END_SERIES", "TRUST_PAYEE", "DISTRUST_PAYEE"])
    func withEffect(type: String) { #expect(!ConsentDialogue.isOnePayment(type)) }

    @Test("Any other type counts as one transfer", arguments: ["TRANSFER", "PAYMENT", "P2P"])
    func one(type: String) { #expect(ConsentDialogue.isOnePayment(type)) }
}
