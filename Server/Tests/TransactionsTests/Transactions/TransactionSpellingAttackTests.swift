import FlowSupport
import Testing
import WalletAuthWire

@testable import SignIn
@testable import Transactions
@testable import WalletAuthPIN

/// Payload, signature and proof name a transaction by its text. A second spelling that leads to the same row would make a proof
/// that contradicts itself.
@Suite("Another spelling of a transaction's id", .threat("Attacks on transactions"))
struct TransactionSpellingAttackTests {
    private func inCapitals(_ id: TransactionID) throws -> TransactionID {
        let capitals = try TransactionID(id.rawValue.uppercased())
        #expect(capitals != id)
        return capitals
    }

    @Test(
        "attack: a claim by the id in upper case finds nothing, so that no payload names a different transaction than its proof"
    )
    func claim() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let link = TransactionLink(
            issuer: created.link.issuer, transactionID: try inCapitals(created.transactionID),
            secret: created.link.secret)
        #expect(try await till.claim(link).refusal == .refused(.notFound))
        #expect(try await till.report(created.transactionID).status == .created)
        let confirmed = try await till.confirm(till.claim(created.link).get()).get()
        _ = try await till.sign(confirmed, till.byPIN(confirmed)).get()
        #expect(try await till.proof(created.transactionID).status == .signed)
    }

    @Test("attack: a signature over the id in capitals signs nothing, whatever the factor, and charges no try")
    func signature() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        var capitals = confirmed
        capitals.transactionID = try inCapitals(confirmed.transactionID)
        #expect(try await till.confirm(capitals).refusal == .refused(.notFound))
        #expect(try await till.reject(capitals).refusal == .refused(.notFound))
        let exchange = try till.phone.exchange(TestTill.pin)
        let evaluation = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(capitals)))
        #expect(evaluation.refusal == .transaction(.notFound))
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
        capitals.challenge = try await till.challenge(for: capitals)
        let assertion = try await till.byBiometrics(capitals)
        for transaction in [capitals, confirmed] {
            #expect(try await till.sign(transaction, assertion).refusal == .assertion(.invalidCredentials))
        }
        #expect(try await till.report(confirmed.transactionID).status == .confirmed)
    }

    @Test("attack: a backend finds, cancels, draws and proves nothing by the id in capitals")
    func backend() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let id = try inCapitals(created.transactionID)
        let call = try await till.call()
        #expect(try await till.flows.ofBackends.find(id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.cancel(id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.link(of: id, call: call).refusal == .notFound)
        #expect(try await till.flows.ofBackends.evidence(of: id, call: call).refusal == .notFound)
        #expect(try await till.report(created.transactionID).status == .created)
    }

    @Test("attack: a page is never requested with a cursor that names no transaction, which would restart the list")
    func cursor() throws {
        let id = "0190b3f2-0000-7000-8000-00000000002a"
        for text in ["zzz", "", id.uppercased(), id + "0"] {
            #expect(throws: MalformedValue.self, "\(text)") { try TransactionCursor(text) }
        }
        _ = try TransactionCursor(id)
    }
}
