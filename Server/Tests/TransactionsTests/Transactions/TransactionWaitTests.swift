import FlowSupport
import SignIn
import Testing
import WalletAuthWire

@testable import Operations
@testable import Transactions

/// No wait ends because its time is up: in the server of a test no time passes for it.
@Suite("A backend that waits for a transaction", .covers("?wait=30 of a backend"), .timeLimit(.minutes(10)))
struct TransactionWaitTests {
    @Test("A backend that waits is answered by the change, and at once where the transaction is over")
    func waits() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let call = try await till.call()
        let waiting = Task {
            try await till.flows.ofBackends.find(created.transactionID, wait: .seconds(30), call: call).get()
        }
        try await till.flows.ledger.changes.whenWaited(for: created.transactionID)
        _ = try await till.claim(created.link).get()
        #expect(try await waiting.value.status == .claimed)
        try await till.cancel(created.transactionID).get()
        let over = try await till.flows.ofBackends.find(
            created.transactionID, wait: .seconds(30), call: till.call()
        ).get()
        #expect(over.status == .cancelled)
        #expect(till.flows.ledger.changes.isIdle)
    }

    @Test("A waiting backend gets a response as soon as the device is removed, or the account is erased")
    func waitsForEnds() async throws {
        for isErased in [false, true] {
            let till = try await TestTill.open()
            let claimed = try await till.claim(till.created().link).get()
            let call = try await till.call()
            let waiting = Task {
                try await till.flows.ofBackends.find(claimed.transactionID, wait: .seconds(30), call: call)
            }
            let device = try till.phone.id.rowID
            await till.flows.ledger.changes.whenWaited(for: device)
            // Another flow than the one that waits: a server has one for its administration and one for HTTP.
            if isErased {
                try await till.server.administer(["account", "erase", "--account", till.account.rawValue])
                #expect(try await waiting.value.refusal == .notFound)
            } else {
                try await till.server.administer(["device", "remove", till.phone.id.rawValue])
                #expect(try await waiting.value.get().cancellation == .deviceRemoved)
            }
            #expect(till.flows.ledger.changes.isIdle)
        }
    }

    @Test("The end of another device or account answers no wait")
    func unrelatedEnds() async throws {
        let till = try await TestTill.open()
        let eve = try await till.stranger()
        let claimed = try await till.claim(till.created().link).get()
        let call = try await till.call()
        let waiting = Task {
            try await till.flows.ofBackends.find(claimed.transactionID, wait: .seconds(30), call: call).get()
        }
        await till.flows.ledger.changes.whenWaited(for: try till.phone.id.rowID)
        try await till.server.administer(["device", "remove", eve.id.rawValue])
        try await till.server.administer(["account", "erase", "--account", eve.account.rawValue])
        _ = try await till.confirm(claimed).get()
        #expect(try await waiting.value.status == .confirmed)
    }
}
