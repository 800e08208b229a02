import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("Payments in a request for a sign-in on the phone", .covers("sign-in on the phone for a client"))
struct BackchannelPaymentTests {
    private func details(_ cents: Int64 = 12_50) throws -> AuthorizationDetails {
        try AuthorizationDetails([
            .paymentInitiation(
                PaymentInitiation(
                    amount: Money(minorUnits: cents, currency: .euro), creditorName: "Bakery",
                    creditorAccount: IBAN("DE89370400440532013000"), reference: "May"))
        ])
    }

    private func desk() async throws -> TestDesk {
        let desk = try await TestDesk.open {
            $0.firstParty = false
            $0.authorizationDetailsTypes = ["payment_initiation"]
        }
        try await desk.client.allow("openid", by: desk.till.account)
        return desk
    }

    @Test("The phone shows amount, payee and reference, and the tokens are for the payment that was signed")
    func signed() async throws {
        let desk = try await desk()
        let wanted = try details()
        let answer = try await desk.ask(scope: "openid", details: wanted).get()
        let payload = try TransactionPayload(parsing: await desk.claimed().payload)
        #expect(payload.content.amount == wanted.payment?.amount)
        #expect(payload.content.payee == wanted.payment?.operation.payee)
        #expect(payload.content.lines.map(\.value) == ["Desk", "May"])
        try await desk.approve()
        let tokens = try await desk.wait(answer).get()
        #expect(tokens.authorizationDetails == wanted)
        #expect(try await desk.server.claims(of: tokens).authorizationDetails == wanted)
    }

    @Test("A client that may not ask for payments, and a payment next to another scope, are refused")
    func refused() async throws {
        let desk = try await desk()
        #expect(try await desk.ask(scope: "openid profile", details: details()).refusal == .invalidScope(["profile"]))
        let other = try await TestDesk.register("other", at: desk.server) { $0.firstParty = false }
        let refusal = try await desk.ask(scope: "openid", details: details(), as: other).refusal
        #expect(refusal == .invalidAuthorizationDetails("payment_initiation"))
    }

    @Test("attack: a signature for a payment brings back no consent that was withdrawn since")
    func withdrawn() async throws {
        let desk = try await desk()
        let answer = try await desk.ask(scope: "openid", details: details()).get()
        try await desk.approve()
        try await desk.server.administer(["account", "consents", "ada", "--withdraw", "desk"])
        #expect(try await desk.wait(answer).refusal == .accessDenied)
        #expect(try await desk.server.consents() == [])
    }
}
