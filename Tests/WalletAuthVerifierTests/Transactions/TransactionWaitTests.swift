import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("Waiting for a transaction")
struct TransactionWaitTests {
    private let server: TransactionsServer
    private let transactions: WalletTransactions
    private let waiting = TransactionsServer.path + "?wait=30"

    init() throws {
        server = try TransactionsServer()
        transactions = try server.client()
    }

    /// Answers the first call by one state, and each waiting call after so many seconds by the next.
    private func serve(_ first: TransactionStatus, then states: [TransactionStatus?], after time: Duration) throws {
        let server = server
        let report = try server.report(first)
        server.server.on("GET", TransactionsServer.path) { _ in server.answer(report.json) }
        let left = LockedValue(states[...])
        server.server.on("GET", waiting) { _ in
            server.server.clock.advance(by: time)
            guard let status = left.withLock({ $0.count > 1 ? $0.popFirst() : $0.first }) ?? nil else {
                throw OutboundFailure(.notSent, reason: "connection refused")
            }
            return server.answer(try server.report(status).json)
        }
    }

    private func outcome() async throws -> TransactionReport {
        try await transactions.outcome(of: TransactionID(TransactionsServer.id))
    }

    @Test("The wait goes from change to change until the state is final")
    func waits() async throws {
        try serve(.created, then: [.created, .claimed, .confirmed, .signed], after: .seconds(20))
        #expect(try await outcome().status == .signed)
        #expect(server.server.requests(to: waiting).count == 4)
        #expect(server.server.clock.pauses.isEmpty)
    }

    @Test("A transaction that is over is reported at once")
    func over() async throws {
        try serve(.rejected, then: [.rejected], after: .zero)
        #expect(try await outcome().status == .rejected)
        #expect(server.server.requests(to: waiting).isEmpty)
    }

    @Test("An outage does not end the wait")
    func outage() async throws {
        try serve(.created, then: [nil, nil, nil, nil, .claimed, .signed], after: .seconds(2))
        #expect(try await outcome().status == .signed)
    }

    @Test("A proxy that says Retry-After: 0 while the server is away is asked once a second")
    func outageWithoutPause() async throws {
        let server = server
        let report = try server.report(.created)
        server.server.on("GET", TransactionsServer.path) { _ in server.answer(report.json) }
        let calls = LockedValue(0)
        server.server.on("GET", waiting) { _ in
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            // The exchange sends each call three times.
            guard number <= 9 else { return server.answer(try server.report(.signed).json) }
            return OutboundResponse(status: 503, headers: [HeaderField("Retry-After", "0")])
        }
        #expect(try await outcome().status == .signed)
        #expect(server.server.clock.pauses.count { $0 == .seconds(1) } == 3)
    }

    @Test("A server that answers at once without a change is asked once a second")
    func pauses() async throws {
        try serve(.created, then: [.created, .created, .created, .signed], after: .zero)
        #expect(try await outcome().status == .signed)
        #expect(server.server.clock.pauses == [.seconds(1), .seconds(1), .seconds(1)])
    }

    @Test("A transaction that is reported as open after its expiry ends the wait, whatever the wall clock says")
    func bounded() async throws {
        try serve(.created, then: [.created], after: .seconds(30))
        let error = try await transactionError { _ = try await outcome() }
        #expect(error?.cause == .malformedAnswer)
        #expect(server.server.clock.uptime() >= .seconds(360))
        #expect(server.server.clock.uptime() < .seconds(420))
    }

    @Test("A cancelled task ends the wait and leaves the transaction open")
    func cancelled() async throws {
        let server = server
        let report = try server.report(.created)
        server.server.on("GET", TransactionsServer.path) { _ in server.answer(report.json) }
        let running = LockedValue<Task<TransactionCallError?, any Error>?>(nil)
        server.server.on("GET", waiting) { _ in
            running.withLock { $0?.cancel() }
            throw CancellationError()
        }
        let transactions = transactions
        let task = running.withLock { running in
            let task = Task {
                try await transactionError {
                    _ = try await transactions.outcome(of: TransactionID(TransactionsServer.id))
                }
            }
            running = task
            return task
        }
        let error = try await task.value
        #expect(error?.cause == .waitingCancelled)
        let methods = Set(server.server.state.withLock { $0.requests }.map(\.method))
        #expect(!methods.contains("DELETE"))
    }

    @Test("A transaction that does not exist ends the wait")
    func unknown() async throws {
        let server = server
        server.server.on("GET", TransactionsServer.path) { _ in server.problem(404, "transaction_not_found") }
        let error = try await transactionError { _ = try await outcome() }
        #expect(error?.cause == .transactionNotFound)
    }
}
