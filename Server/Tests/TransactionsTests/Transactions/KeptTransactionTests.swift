import Core
import FlowSupport
import SignIn
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Operations
@testable import Transactions
@testable import WalletAuthPIN

@Suite("A transaction in restores, erasures and exports")
struct KeptTransactionTests {
    @Test("What was signed after the copy counts as cancelled by the restore, also when its time is over")
    func restored() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let copy = till.server.path("copy.db")
        try await till.server.administer(["database", "backup", "--to", copy])
        _ = try await till.sign(confirmed, till.byBiometrics(confirmed)).get()
        till.server.clock.advance(by: .minutes(20))
        let restored = try await till.restarted(epoch: 1, from: copy)
        let report = try await restored.report(confirmed.transactionID)
        #expect(report.status == .cancelled)
        #expect(report.cancellation == .restore)
        #expect(try await restored.proof(confirmed.transactionID).cancellation == .restore)
    }

    @Test("An erasure leaves the signed transactions of an account, and none of the others")
    func erased() async throws {
        let till = try await TestTill.open()
        let signed = try await till.confirmed()
        _ = try await till.sign(signed, till.byBiometrics(signed)).get()
        let claimed = try await till.claim(till.created().link).get()
        let created = try await till.created()
        try await till.server.administer(["account", "erase", "--account", till.account.rawValue])
        #expect(try await till.report(signed.transactionID).status == .signed)
        let proof = try await till.proof(signed.transactionID)
        #expect(proof.steps.allSatisfy { $0.circumstances == nil })
        for id in [claimed.transactionID, created.transactionID] {
            let outcome = try await till.flows.ofBackends.find(id, call: till.call())
            #expect(outcome.refusal == .notFound)
        }
    }

    @Test("An export has the transactions of a person, with what was signed in words")
    func exported() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        _ = try await till.sign(confirmed, till.byBiometrics(confirmed)).get()
        let account = try #require(UniqueID(bytes: till.account.bytes))
        let (member, value) = try await till.flows.export(of: account)
        #expect(member == "transactions")
        #expect(wrongTimes(in: value) == [])
        let text = value.text
        #expect(text.contains("Café Zürich") && text.contains(confirmed.transactionID.rawValue))
    }
}
