import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite("What waits for approval on this device", .covers("GET /v1/approvals"))
struct PendingApprovalTests {
    private func consent() throws -> ScriptedServer.RequiredConsent { .init(try Shop.operation(), by: [.push]) }

    /// The only payment that waits.
    private func payment(_ till: Till) async throws -> PendingPayment {
        guard case .payment(let payment)? = try await till.wallet.transactions.pending().first else {
            throw Answers.NothingToSay()
        }
        return payment
    }

    @Test("A payment shows what the device signs, is approved by face or finger, and is in the history")
    func approve() async throws {
        let till = try await Till()
        let event = try till.world.server.requestApproval(consent(), of: "alice")
        let payment = try await payment(till)
        #expect(payment.id.rawValue == event)
        #expect(payment.operation.payee?.name == "Blumen Huber")
        #expect(payment.requester == ApprovalRequester(service: "Shop", browser: "Firefox", system: "Windows"))
        #expect(payment.availableVerifications == [.deviceBiometric])
        let attempt = try await till.wallet.transactions.approve(payment, with: .biometrics(reason: "Pay"))
        #expect(attempt.status == .verified)
        #expect(till.world.server.consents.map(\.proved) == [[.push]])
        #expect(try await till.wallet.transactions.pending().isEmpty)
        let history = try await till.wallet.transactions.history()
        #expect(history.map(\.id) == [event])
        #expect(history.map(\.secondFactor) == [.deviceBiometric])
    }

    @Test("A lost response is asked for again, and what another device approved waits no longer")
    func repeated() async throws {
        let till = try await Till()
        let event = try till.world.server.requestApproval(consent(), of: "alice")
        let own = try await payment(till)
        till.world.server.inject(.loseAnswer, at: Endpoints.approvalAttempts.path(try SCAEventID(event)))
        async let approved = till.wallet.transactions.approve(own, with: .biometrics(reason: "Pay"))
        await till.passPauses(1)
        #expect(try await approved.status == .verified)
        let other = try till.world.server.requestApproval(consent(), of: "alice")
        let late = try await payment(till)
        till.world.server.approveElsewhere(other)
        let error = await failure {
            try await till.wallet.transactions.approve(late, with: .biometrics(reason: "Pay"))
        }
        #expect(error?.code == .eventNotFound)
    }

    @Test("A refusal ends it, and is harmless to repeat")
    func reject() async throws {
        let till = try await Till()
        _ = try till.world.server.requestApproval(consent(), of: "alice")
        let payment = try await payment(till)
        for _ in 0..<2 { try await till.wallet.transactions.reject(payment) }
        #expect(till.world.server.consents.map(\.isRefused) == [true])
        #expect(try await till.wallet.transactions.pending().isEmpty)
    }

    @Test("A transaction for the account is signed from the list, without a code")
    func transaction() async throws {
        let till = try await Till()
        _ = try till.world.server.createTransaction(Till.coffee(for: try AccountID(Shop.alice)))
        guard case .transaction(let transaction)? = try await till.wallet.transactions.pending().first else {
            Issue.record("expected a transaction")
            return
        }
        #expect(transaction.details == nil)
        let story = await Person().follow(try till.wallet.flows.start(pending: transaction))
        #expect(story.signed?.id == transaction.id)
        #expect(till.statuses == [.signed])
    }

    @Test("A code for anyone, and what belongs to another person, are not in the list")
    func others() async throws {
        let till = try await Till()
        _ = try till.code()
        _ = try till.world.server.requestApproval(consent(), of: "bob")
        #expect(try await till.wallet.transactions.pending().isEmpty)
    }

    @Test("Without a face or a PIN, an answer is refused before anything is sent")
    func misfit() async throws {
        let till = try await Till()
        _ = try till.world.server.requestApproval(consent(), of: "alice")
        let payment = try await payment(till)
        let error = await failure { try await till.wallet.transactions.approve(payment, with: .code("123456")) }
        #expect(error?.code == .badRequest)
        #expect(till.world.server.consents.map(\.failed) == [0])
    }

    @Test(
        "A push message is an id and a kind, and nothing else is one",
        arguments: [
            ["id": "0190b3f2-0000-7000-8000-00000000002A", "kind": "operation"],
            ["id": "0190b3f2", "kind": "operation"], ["id": "0190b3f2-0000-7000-8000-00000000002a"],
            ["id": "0190b3f2-0000-7000-8000-00000000002a", "kind": "OPERATION"], ["kind": "transaction"], [:],
        ] as [[String: String]])
    func malformedPush(_ payload: [String: String]) async throws {
        let wallet = try await Till().wallet
        #expect(wallet.handle(push: payload) == nil)
    }

    @Test("A push message gives kind and id, whatever else the platform adds")
    func push() async throws {
        let wallet = try await Till().wallet
        let id = "0190b3f2-0000-7000-8000-00000000002a"
        let hint = wallet.handle(push: ["aps": ["alert": "…"], "id": id, "kind": "operation"])
        #expect(hint == ApprovalHint(kind: .operation, id: try TransactionID(id)))
        #expect(wallet.handle(push: ["id": id, "kind": "transaction"])?.kind == .transaction)
        #expect(wallet.handle(push: ["id": 7, "kind": "transaction"]) == nil)
    }
}
