import FlowSupport
import SignIn
import Testing
import WalletAuthWire

@testable import Operations
@testable import Transactions

/// A code without an account hangs on a wall or is linked on a page. Until a person signs, they have told its backend nothing.
@Suite("Who scanned a code without an account", .threat("Attacks on transactions"))
struct TransactionPrivacyTests {
    /// How far the person goes, and what the backend sees of it.
    enum Way: CaseIterable {
        case scanned, confirmed, rejected, failed, cancelled, expired, removed
    }

    private func go(_ way: Way, _ created: TransactionCreated, at till: TestTill) async throws {
        let claimed = try await till.claim(created.link).get()
        switch way {
        case .scanned: break
        case .confirmed: _ = try await till.confirm(claimed).get()
        case .rejected: _ = try await till.reject(claimed).get()
        case .failed:
            let confirmed = try await till.confirm(claimed).get()
            for _ in 0..<5 { _ = try await till.sign(confirmed, till.byPIN(confirmed, "314159")) }
        case .cancelled: try await till.cancel(created.transactionID).get()
        case .expired: till.server.clock.advance(by: .seconds(300))
        case .removed: try await till.server.administer(["device", "remove", till.phone.id.rawValue])
        }
    }

    @Test("attack: a code on a wall tells its backend nothing about people who do not sign", arguments: Way.allCases)
    func withheld(_ way: Way) async throws {
        let till = try await TestTill.open(withoutAccount: true)
        let created = try await till.ask(till.purchase(for: nil)).get()
        try await go(way, created, at: till)
        let report = try await till.report(created.transactionID)
        let statuses: [Way: TransactionStatus] = [
            .scanned: .claimed, .confirmed: .confirmed, .rejected: .rejected, .failed: .failed,
            .cancelled: .cancelled, .expired: .expired, .removed: .cancelled,
        ]
        #expect(report.status == statuses[way])
        let document = try await till.flows.ofBackends.evidence(of: created.transactionID, call: till.call()).get()
        let proof = try await till.proof(created.transactionID)
        #expect(proof.status == report.status)
        #expect(proof.account == nil && proof.payload == nil && proof.signature == nil)
        #expect(proof.steps[0].place != nil && proof.steps[0].circumstances != nil)
        for step in proof.steps.dropFirst() { #expect(step.place == nil && step.circumstances == nil) }
        let content = try CompactJWS(document.rawValue, maximumBytes: TransactionEvidence.maximumBytes)
        let told = [report.json.bytes, content.unverifiedPayload].map { String(decoding: $0, as: UTF8.self) }
        for text in told {
            for secret in [till.account.rawValue, till.phone.id.rawValue, "payload"] {
                #expect(!text.contains(secret), "\(secret) is in \(text)")
            }
        }
    }

    @Test(
        "attack: neither a list by account nor the bound of open transactions tells whether an account scanned a code")
    func oracles() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        let created = try await till.ask(till.purchase(for: nil)).get()
        for _ in 1..<TransactionLimits.openOfAccount { _ = try await till.created() }
        _ = try await till.claim(created.link).get()
        let ofAccount = try await till.flows.ofBackends.list(
            TransactionQuery(account: till.account), call: till.call()
        )
        #expect(ofAccount.transactions.count == TransactionLimits.openOfAccount - 1)
        #expect(!ofAccount.transactions.contains { $0.transactionID == created.transactionID })
        let all = try await till.flows.ofBackends.list(TransactionQuery(), call: till.call())
        #expect(all.transactions.first { $0.transactionID == created.transactionID }?.account == nil)
        _ = try await till.created()
        #expect(
            try await till.ask(till.purchase(for: till.account)).refusal == .tooManyOpen(retryAfter: 300))
    }

    @Test("A backend that names the account sees each of its steps, as before")
    func addressed() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        let created = try await till.created()
        let rejected = try await till.reject(till.claim(created.link).get()).get()
        let report = try await till.report(created.transactionID)
        #expect(report.account == till.account && report.deviceID == till.phone.id)
        #expect(report.payload == rejected.payload)
        let proof = try await till.proof(created.transactionID)
        #expect(proof.payload == rejected.payload)
        #expect(proof.steps.allSatisfy { $0.place != nil && $0.circumstances != nil })
    }
}
