import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions
@testable import WalletAuthPIN

@Suite("Drafts under attack", .threat("Attacks on transactions"))
struct TransactionDraftAttackTests {
    @Test("attack: a draft is signed once, even by another assertion")
    func signedTwice() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byBiometrics(begun.transaction)).get()
        let exchange = try till.phone.exchange(TestTill.pin)
        let request = try till.phone.use(exchange, act: till.act(begun.transaction), draft: begun.draft)
        #expect(try await till.phone.evaluate(request).refusal == .transaction(.draftUsed))
        var again = begun.transaction
        again.challenge = try await till.challenge(for: again)
        #expect(try await till.store(begun.draft, till.byBiometrics(again)).refusal == .refused(.draftUsed))
        let all = try await till.flows.ofBackends.list(TransactionQuery(), call: till.call())
        #expect(all.transactions.count == 1)
    }

    @Test("attack: a draft of another device, a changed one and an expired one are refused")
    func otherDrafts() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        let assertion = try await till.byBiometrics(begun.transaction)
        var text = Array(begun.draft.reveal().utf8)
        text[text.count / 2] = text[text.count / 2] == 0x41 ? 0x42 : 0x41
        let changed = try TransactionDraft(String(decoding: text, as: UTF8.self))
        #expect(try await till.store(changed, assertion).refusal == .refused(.invalidDraft))
        till.server.clock.advance(by: TransactionLimits.draftLifetime)
        #expect(try await till.store(begun.draft, assertion).refusal == .refused(.invalidDraft))
        let late = try till.phone.use(
            try till.phone.exchange(TestTill.pin), act: till.act(begun.transaction), draft: begun.draft)
        #expect(try await till.phone.evaluate(late).refusal == .transaction(.invalidDraft))
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test("attack: an assertion over one draft does not store another")
    func otherAssertion() async throws {
        let till = try await TestTill.open()
        let first = try await till.draft().get()
        let second = try await till.draft(data: [1]).get()
        let assertion = try await till.byBiometrics(first.transaction)
        #expect(try await till.store(second.draft, assertion).refusal == .assertion(.invalidCredentials))
    }

    @Test("A draft's signature that waited for its write is proved by the time at which it arrived")
    func waitingSignature() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        let assertion = try await till.byBiometrics(begun.transaction, age: .seconds(330))
        till.server.beforeNextWrite { till.server.clock.advance(by: .seconds(1)) }
        _ = try await till.store(begun.draft, assertion).get()
        #expect(try await till.proof(begun.transaction.transactionID).status == .signed)
    }

    @Test("attack: a draft's payload is no transaction of a backend, and signs none")
    func noPayment() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byBiometrics(begun.transaction)
        #expect(try await till.sign(confirmed, assertion).refusal == .assertion(.invalidCredentials))
        #expect(try await till.sign(begun.transaction, assertion).refusal == .refused(.notFound))
    }

    @Test("attack: a phone fills no database with transactions of its own")
    func flood() async throws {
        let till = try await TestTill.open()
        for _ in 0..<TransactionLimits.begunOnDevice {
            let begun = try await till.draft().get()
            _ = try await till.store(begun.draft, till.byBiometrics(begun.transaction)).get()
        }
        let begun = try await till.draft().get()
        let refused = try await till.store(begun.draft, till.byBiometrics(begun.transaction)).refusal
        guard case .refused(.tooManyBegun(let seconds))? = refused else {
            Issue.record("one more was stored: \(String(describing: refused))")
            return
        }
        #expect((86_000...86_400).contains(seconds))
        let request = try till.phone.use(
            try till.phone.exchange(TestTill.pin), act: till.act(begun.transaction), draft: begun.draft)
        let outcome = try await till.phone.evaluate(request).refusal
        guard case .transaction(.tooManyBegun)? = outcome else {
            Issue.record("a try was charged: \(String(describing: outcome))")
            return
        }
        till.server.clock.advance(by: TransactionLimits.begunWindow)
        let later = try await till.draft().get()
        _ = try await till.store(later.draft, till.byBiometrics(later.transaction)).get()
    }

    @Test("attack: a draft that was signed is not signed again after a sweep")
    func afterSweep() async throws {
        let till = try await TestTill.open { $0.sca.evidenceRetention = .seconds(1) }
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byBiometrics(begun.transaction)).get()
        till.server.clock.advance(by: .minutes(4))
        try await till.server.flows.maintenance.run()
        var again = begun.transaction
        again.challenge = try await till.challenge(for: again)
        #expect(try await till.store(begun.draft, till.byBiometrics(again)).refusal == .refused(.draftUsed))
    }

    @Test("attack: a draft that was signed after the copy was made is not signed again after the restore")
    func afterRestore() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        let copy = till.server.path("copy.db")
        try await till.server.administer(["database", "backup", "--to", copy])
        let assertion = try await till.byBiometrics(begun.transaction)
        _ = try await till.store(begun.draft, assertion).get()
        let restored = try await till.restarted(epoch: 1, from: copy)
        #expect(try await restored.store(begun.draft, assertion).refusal == .refused(.invalidDraft))
        let all = try await restored.flows.ofBackends.list(TransactionQuery(), call: restored.call())
        #expect(all.transactions.isEmpty)
    }
}
