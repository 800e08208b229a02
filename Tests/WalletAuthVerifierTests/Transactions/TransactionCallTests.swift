import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("A backend's calls about transactions")
struct TransactionCallTests {
    private let server: TransactionsServer
    private let transactions: WalletTransactions

    init() throws {
        server = try TransactionsServer()
        transactions = try server.client()
    }

    private var id: TransactionID {
        get throws { try TransactionID(TransactionsServer.id) }
    }

    private func create() async throws -> TransactionCreated {
        try await transactions.create(server.request(), idempotencyKey: IdempotencyKey("a-key-of-this-order"))
    }

    @Test("A transaction is created under its key, with a token of the scope transactions")
    func creates() async throws {
        let server = server
        let created = try server.created()
        server.server.on("POST", Endpoints.transactions.path) { _ in server.answer(created.json, status: 201) }
        #expect(try await create() == created)
        let sent = try #require(server.server.requests(to: Endpoints.transactions.path).first)
        #expect(try TransactionRequest(JSONValue.object(parsing: sent.body ?? [])) == server.request())
        #expect(sent.headers.first { $0.name == "Idempotency-Key" }?.value == "a-key-of-this-order")
        #expect(sent.headers.first { $0.name == "Authorization" }?.value == "Bearer backend-token")
        let token = try #require(server.server.requests(to: Endpoints.token.path).first)
        #expect(try FormParameters(parsing: token.body ?? [])["scope"] == "transactions")
    }

    @Test("A lost answer is asked for again under the same key")
    func lostAnswer() async throws {
        let server = server
        let created = try server.created()
        let isLost = LockedValue(true)
        server.server.on("POST", Endpoints.transactions.path) { _ in
            if isLost.withLock({ lost in
                defer { lost = false }
                return lost
            }) {
                throw OutboundFailure(.lost, reason: "gone")
            }
            return server.answer(created.json, status: 201)
        }
        #expect(try await create() == created)
        let keys = server.server.requests(to: Endpoints.transactions.path)
            .map { $0.headers.first { $0.name == "Idempotency-Key" }?.value }
        #expect(keys == ["a-key-of-this-order", "a-key-of-this-order"])
    }

    @Test("attack: a link to another server or another transaction becomes no QR code")
    func otherLink() async throws {
        let server = server
        for created in [
            try server.created(at: "https://evil.example"), try server.created(link: TransactionsServer.otherID),
        ] {
            server.server.on("POST", Endpoints.transactions.path) { _ in server.answer(created.json, status: 201) }
            let error = try await transactionError { _ = try await create() }
            #expect(error?.cause == .malformedAnswer)
        }
    }

    @Test(
        "Each refusal has a case of its own, and says what to do",
        arguments: [
            (400, "bad_request", TransactionCallError.Cause.badRequest("what bad_request is about")),
            (400, "account_required", .accountRequired), (404, "account_not_found", .accountNotFound),
            (404, "transaction_not_found", .transactionNotFound),
            (409, "transaction_over", .transactionOver(.rejected)),
            (422, "idempotency_mismatch", .idempotencyMismatch),
            (429, "too_many_transactions", .tooManyTransactions(retryAfter: .seconds(60))),
            (429, "too_many_requests", .temporarilyUnavailable(retryAfter: .seconds(60))),
            (401, "invalid_token", .credentialRefused), (403, "", .credentialRefused),
            (503, "", .temporarilyUnavailable(retryAfter: .seconds(60))),
            (418, "teapot", .refused(code: "teapot")), (404, "", .malformedAnswer),
        ])
    func refusals(_ status: Int, _ code: String, _ cause: TransactionCallError.Cause) async throws {
        let server = server
        server.server.on("POST", Endpoints.transactions.path) { _ in
            server.problem(
                status, code, state: status == 409 ? "REJECTED" : nil, headers: [HeaderField("Retry-After", "60")])
        }
        let error = try #require(try await transactionError { _ = try await create() })
        #expect(error.cause == cause)
        #expect(error.advice.hasSuffix(".") || error.advice.contains("Change the request"))
        #expect(error.certainty == (status == 503 ? .unknown : .nothingHappened))
        #expect((400...599).contains(error.answer.status))
    }

    @Test("A waiting call asks for whole seconds up to thirty, and the transport's time limit outlasts the wait")
    func wait() async throws {
        let server = server
        for (wait, text) in [
            (Duration.zero, ""), (.seconds(-3), ""), (.milliseconds(1500), "?wait=2"), (.seconds(30), "?wait=30"),
            (.seconds(600), "?wait=30"),
        ] {
            let report = try server.report(.claimed)
            server.server.on("GET", TransactionsServer.path + text) { _ in server.answer(report.json) }
            #expect(try await transactions.find(id, wait: wait) == report)
            let sent = try #require(server.server.requests(to: TransactionsServer.path + text).last)
            let seconds = text.split(separator: "=").last.flatMap { Int($0) } ?? 0
            #expect(sent.timeout == .seconds(10 + seconds))
        }
    }

    @Test("attack: the report of another transaction is not taken for this one")
    func otherReport() async throws {
        let server = server
        let report = try server.report(.signed, of: TransactionsServer.otherID)
        server.server.on("GET", TransactionsServer.path) { _ in server.answer(report.json) }
        let error = try await transactionError { _ = try await transactions.find(id) }
        #expect(error?.cause == .malformedAnswer)
    }

    @Test("A cancellation succeeds, or names the state that came first")
    func cancels() async throws {
        let server = server
        server.server.on("DELETE", TransactionsServer.path) { _ in OutboundResponse(status: 204) }
        try await transactions.cancel(id)
        server.server.on("DELETE", TransactionsServer.path) { _ in
            server.problem(409, "transaction_over", state: "SIGNED")
        }
        let error = try await transactionError { try await transactions.cancel(id) }
        #expect(error?.cause == .transactionOver(.signed))
        #expect(error?.answer.status == 409)
        #expect(error?.answer.json["state"]?.string == "SIGNED")
    }
}
