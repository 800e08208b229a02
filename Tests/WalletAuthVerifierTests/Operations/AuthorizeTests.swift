import Crypto
import Testing
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite(
    "Asking before money moves", .article("4(2) a code reveals nothing"),
    .threat("a consent of another person", "the amount changed after the consent"))
struct AuthorizeTests {
    private let server: OperationsServer
    private let operations: WalletOperations

    init() throws {
        server = try OperationsServer()
        operations = try server.client()
    }

    @Test("An operation that needs consent is answered by the 403 that the app understands")
    func required() async throws {
        let server = server
        let payment = try server.payment()
        server.server.on("POST", Endpoints.walletOperations.path) { request in
            let asked = try WalletOperationRequest(try JSONValue.object(parsing: request.body ?? []))
            guard asked.account == server.person.account, asked.session == server.person.session,
                asked.operation == payment
            else { return server.problem(400, "bad_request") }
            return try server.created(asked.id, .scaRequired)
        }
        let decision = try await operations.authorize(payment, by: server.person, scaDetails: nil)
        guard case .scaRequired(let required) = decision else {
            Issue.record("not asked for consent: \(String(describing: decision))")
            return
        }
        #expect(required.eventID.rawValue == OperationsServer.event)
        #expect(required.answer.status == 403)
        #expect(SCARequired(problem: required.answer.json) == required)
        let sent = try #require(server.server.requests(to: Endpoints.walletOperations.path).first)
        let authorization = sent.headers.first { $0.name == "Authorization" }?.value
        #expect(authorization == "Bearer backend-token")
        #expect(sent.headers.contains { $0.name == "Idempotency-Key" && (16...64).contains($0.value.count) })
    }

    @Test("An exempt operation is consumed at once, and its code says that it was exempt")
    func exempt() async throws {
        let server = server
        let payment = try server.payment(100)
        server.server.on("POST", Endpoints.walletOperations.path) { _ in
            try server.created(try WalletOperationID("op-1"), .exempt)
        }
        server.server.on("POST", OperationsServer.consumption) { request in
            let consumption = try OperationConsumption(try JSONValue.object(parsing: request.body ?? []))
            guard consumption.eventID == nil, consumption.operation == payment else {
                return server.problem(409, "operation_changed")
            }
            return server.answer(try server.code(for: payment) { $0.basis = .exempt(.lowValue) })
        }
        let decision = try await operations.authorize(
            payment, by: server.person, scaDetails: nil, id: try WalletOperationID("op-1"))
        guard case .authorized(_, let claims) = decision else {
            Issue.record("not authorized: \(String(describing: decision))")
            return
        }
        #expect(claims.basis == .exempt(.lowValue))
    }

    @Test("With scaDetails the consent is consumed, and the code that comes back is verified")
    func consented() async throws {
        let server = server
        let payment = try server.payment()
        server.server.on("POST", OperationsServer.consumption) { request in
            let consumption = try OperationConsumption(try JSONValue.object(parsing: request.body ?? []))
            guard consumption.eventID?.rawValue == OperationsServer.event, consumption.operation == payment else {
                return server.problem(409, "operation_changed")
            }
            return server.answer(try server.code(for: payment))
        }
        let outcome = await operations.outcome(of: payment, by: server.person, try server.details)
        #expect(outcome.isAuthorized, "\(outcome)")
        #expect(server.server.requests(to: Endpoints.walletOperations.path).isEmpty)
    }

    @Test("An app that repeats its request without scaDetails after the consent is not asked again")
    func agreedBefore() async throws {
        let server = server
        let payment = try server.payment()
        let id = try WalletOperationID("op-1")
        server.server.on("POST", Endpoints.walletOperations.path) { _ in try server.created(id, .verified) }
        server.server.on("POST", OperationsServer.consumption) { request in
            let consumption = try OperationConsumption(try JSONValue.object(parsing: request.body ?? []))
            guard consumption.eventID?.rawValue == OperationsServer.event, consumption.operation == payment else {
                return server.problem(409, "operation_changed")
            }
            return server.answer(try server.code(for: payment))
        }
        let decision = try await operations.authorize(payment, by: server.person, scaDetails: nil, id: id)
        guard case .authorized(_, let claims) = decision else {
            Issue.record("not authorized: \(String(describing: decision))")
            return
        }
        #expect(claims.operationID == id)
    }

    @Test(
        "attack: a consent of another person, or to another amount, payee, operation or backend, or a forged code, moves nothing"
    )
    func othersConsent() async throws {
        let server = server
        let payment = try server.payment()
        let thief = try AccountID("11111111-3dd1-4c4c-9b65-9f6a4f9d3c11")
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "key-1")
        let codes = [
            try server.code(for: payment) { $0.account = thief },
            try server.code(for: try server.payment(1251)), try server.code(for: try server.payment(to: "Bakerу")),
            try server.code(for: payment, id: "op-2"),
            try server.code(for: payment) { $0.clientID = try ClientID("another") },
            try server.code(for: payment) { $0.issuer = try Issuer("https://auth.example/other") },
            try server.code(for: payment) { $0.basis = .exempt(nil) },
            try server.code(for: payment, by: stranger),
            try server.code(for: payment, type: "at+jwt"),
        ]
        let known: Set<OperationRefusal.Code> = [.operationChanged, .malformedAnswer]
        for (number, code) in codes.enumerated() {
            server.server.on("POST", OperationsServer.consumption) { _ in server.answer(code) }
            let outcome = await operations.outcome(of: payment, by: server.person, try server.details)
            let refusal = try #require(outcome.refusal, "case \(number)")
            #expect(known.contains(refusal.code), "case \(number)")
            #expect([409, 500].contains(refusal.answer.status))
        }
    }

    @Test("Text with nothing to see is refused with what is wrong, before anything is sent")
    func nothingToSee() async throws {
        let blank = try server.payment(to: "\u{2800}")
        let reference = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: blank.amount, details: ["reference": " "])
        for (operation, member) in [(blank, "payee.name"), (reference, "details.reference")] {
            let outcome = await operations.outcome(of: operation, by: server.person, nil)
            let refusal = try #require(outcome.refusal, "\(member)")
            #expect(refusal.code == .badRequest)
            #expect(refusal.certainty == .nothingHappened)
            #expect(refusal.answer.status == 400)
            let detail = refusal.answer.json["detail"]?.string ?? ""
            #expect(detail.hasPrefix(member), "\(detail)")
        }
        #expect(server.server.requests(to: Endpoints.walletOperations.path).isEmpty)
    }

    @Test("What the server finds malformed is the app's to change, and its answer says what")
    func malformedAtTheServer() async throws {
        server.server.on("POST", Endpoints.walletOperations.path) { _ in
            let problem = Problem(status: 400, code: "bad_request", title: "Malformed", detail: "payee.name is new")
            return OutboundResponse(status: 400, body: problem.json.bytes)
        }
        let outcome = await operations.outcome(of: try server.payment(), by: server.person, nil)
        let refusal = try #require(outcome.refusal)
        #expect(refusal.code == .badRequest)
        #expect(refusal.answer.status == 400)
        #expect(refusal.answer.json["detail"]?.string == "payee.name is new")
    }

    @Test(
        "The server's refusals come through with an answer for the app",
        arguments: [
            "sca_already_used", "sca_not_verified", "operation_changed", "operation_locked", "operation_expired",
            "operation_cancelled", "session_not_found", "trusted_payees_full", "trusted_payee_not_found",
            "series_not_found", "series_ended", "exemption_over", "account_not_found", "app_not_first_party",
        ])
    func refusals(code: String) async throws {
        let server = server
        server.server.on("POST", OperationsServer.consumption) { _ in server.problem(409, code) }
        let outcome = await operations.outcome(of: try server.payment(), by: server.person, try server.details)
        let refusal = try #require(outcome.refusal)
        #expect(refusal.code.rawValue == code)
        #expect(refusal.certainty == .nothingHappened)
        #expect(refusal.answer.status == 409)
        #expect(refusal.answer.json["code"]?.string == code)
        #expect(server.server.requests(to: OperationsServer.consumption).count == 1)
    }

    @Test(
        "An operation that has ended is refused as what it is",
        arguments: [
            (WalletOperationStatus.cancelled, OperationRefusal.Code.operationCancelled),
            (.expired, .operationExpired), (.failed, .operationLocked),
        ])
    func ended(status: WalletOperationStatus, code: OperationRefusal.Code) async throws {
        let server = server
        server.server.on("POST", Endpoints.walletOperations.path) { _ in
            let known = WalletOperationResponse(
                id: try WalletOperationID("op-1"), status: status, eventID: nil, availableVerifications: [],
                exemption: nil, findings: [], expiresAt: server.server.clock.now())
            return OutboundResponse(status: 201, body: known.json.bytes)
        }
        let payment = try server.payment()
        let id = try WalletOperationID("op-1")
        let refusal = await #expect(throws: OperationRefusal.self) {
            try await operations.authorize(payment, by: server.person, scaDetails: nil, id: id)
        }
        #expect(refusal?.code == code)
        #expect(refusal?.certainty == .nothingHappened)
    }

    @Test("An exempt operation whose response was lost gets it again under its key; under another it counts as used")
    func exemptAgain() async throws {
        let server = server
        let payment = try server.payment(100)
        server.server.on("POST", Endpoints.walletOperations.path) { _ in
            let known = WalletOperationResponse(
                id: try WalletOperationID("op-1"), status: .authorized, eventID: nil, availableVerifications: [],
                exemption: .lowValue, findings: [], expiresAt: server.server.clock.now())
            return OutboundResponse(status: 201, body: known.json.bytes)
        }
        let code = try server.code(for: payment) { $0.basis = .exempt(.lowValue) }
        server.server.on("POST", OperationsServer.consumption) { request in
            let key = request.headers.first { $0.name == IdempotencyKey.headerName }?.value
            return key == "the-key-of-the-first-time" ? server.answer(code) : server.problem(409, "sca_already_used")
        }
        func outcome(_ key: String?) async throws -> Outcome {
            let attempt = try key.map { try IdempotencyKey($0) }
            do {
                return .decision(
                    try await operations.authorize(
                        payment, by: server.person, scaDetails: nil, id: try WalletOperationID("op-1"), attempt: attempt
                    ))
            } catch let refusal as OperationRefusal { return .refusal(refusal) }
        }
        #expect(try await outcome("the-key-of-the-first-time").isAuthorized)
        #expect(try await outcome("the-key-of-another-time").refusal?.code == .scaAlreadyUsed)
        #expect(try await outcome(nil).refusal?.code == .scaAlreadyUsed)
    }

    @Test("scaDetails of another operation than the one at hand are refused unsent")
    func otherDetails() async throws {
        let server = server
        let payment = try server.payment()
        let details = try server.details
        await #expect(throws: OperationRefusal.self) {
            try await operations.authorize(
                payment, by: server.person, scaDetails: details, id: try WalletOperationID("op-9"))
        }
        #expect(server.server.requests(to: OperationsServer.consumption).isEmpty)
    }

    @Test("A consent is not spent while the code could not be verified")
    func noKeys() async throws {
        server.server.state.withLock { $0.status = 503 }
        let outcome = await operations.outcome(of: try server.payment(), by: server.person, try server.details)
        #expect(outcome.refusal?.code == .temporarilyUnavailable)
        #expect(outcome.refusal?.certainty == .nothingHappened)
        #expect(server.server.requests(to: OperationsServer.consumption).isEmpty)
    }

    @Test("Two requests consume under two keys; a lost response is requested again under its own")
    func idempotency() async throws {
        let server = server
        let payment = try server.payment()
        let code = try server.code(for: payment)
        let seen = LockedValue<[String]>([])
        server.server.on("POST", OperationsServer.consumption) { request in
            let key = request.headers.first { $0.name == "Idempotency-Key" }?.value ?? ""
            let isFirst = seen.withLock { seen in
                seen.append(key)
                return seen.count == 1
            }
            if isFirst { throw OutboundFailure(.lost, reason: "the connection broke") }
            return server.answer(code)
        }
        let details = try server.details
        let first = await operations.outcome(of: payment, by: server.person, details)
        let second = await operations.outcome(of: payment, by: server.person, details)
        let attempt = try IdempotencyKey("payment-record-42")
        let third = await operations.outcome(of: payment, by: server.person, details, attempt: attempt)
        #expect(first.isAuthorized && second.isAuthorized && third.isAuthorized)
        let keys = seen.withLock { $0 }
        #expect(keys.count == 4)
        #expect(keys[0] == keys[1])
        #expect(keys[1] != keys[2])
        #expect(keys[3] == "payment-record-42")
    }
}
