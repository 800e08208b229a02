import Core
import FlowSupport
import Store
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

    @Test("The session in the token names the proof of what was signed, and the audit log binds it to the details")
    func evidence() async throws {
        let desk = try await desk()
        let wanted = try details()
        let answer = try await desk.ask(scope: "openid", details: wanted).get()
        try await desk.approve()
        let claims = try await desk.server.claims(of: desk.wait(answer).get())
        let session = try #require(claims.sessionID).rawValue
        let printed = try await desk.till.flows.evidence(named: session)
        let document = try TransactionEvidence(try #require(printed.first?.document))
        let keys = try JWKSet(desk.server.context.audit.publicKeys(now: desk.server.clock.now()))
        let proof = try document.verified(by: keys)
        #expect(proof.status == .signed)
        #expect(proof.clientID == desk.client.id)
        let bytes = try #require(proof.payload)
        let payload = try TransactionPayload(recorded: bytes)
        #expect(payload.content.amount == wanted.payment?.amount)
        #expect(payload.content.payee == wanted.payment?.operation.payee)
        let entries = try await desk.server.context.database.read { connection in
            try connection.query("SELECT details FROM security_events WHERE kind = 'session.details_granted'", [])
                .map { try $0.text("details") }
        }
        let entry = try JSONValue.object(parsing: Array(try #require(entries.first).utf8))
        #expect(entries.count == 1)
        #expect(entry["session_id"]?.string == session)
        let hash = Base64URL.encode(Digests.of("authorization-details", Array(wanted.rawValue.utf8)))
        #expect(entry["authorization_details_sha256"]?.string == hash)
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
