import Core
import Dispatch
import FlowSupport
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import Transactions

/// Two requests at once that must not both succeed, each at another process. Other such pairs are in the suites of their flows,
/// which run them for each ``Deployment``.
@Suite(
    "Races between two processes", .threat("Consent to something other than what was shown", "Attacks on transactions"),
    .covers("one PostgreSQL database"))
struct TwoProcessRaceTests {
    @Test("attack: one code redeemed at both processes at once opens one session, which the replay ends, 500 times")
    func codes() async throws {
        try await TwoProcesses.run { servers in
            let app = try await servers.first.bearerClient()
            let elsewhere = app.at(servers.second)
            let account = try await servers.first.account()
            for _ in 0..<Deployment.attackRounds {
                let code = try await app.code(for: account)
                let grant = TokenRequest.Grant.authorizationCode(
                    code, redirectURI: nil, verifier: TestClient.verifier)
                async let one = app.token(grant)
                async let other = elsewhere.token(grant)
                let outcomes = try await [one, other]
                #expect(outcomes.count { $0.refusal == nil } == 1)
                #expect(outcomes.count { $0.refusal == .invalidGrant } == 1)
            }
            let (opened, living) = try await servers.second.context.database.read { connection in
                (
                    try connection.query("SELECT id FROM sessions", []).count,
                    try connection.query("SELECT id FROM sessions WHERE revoked_at IS NULL", []).count
                )
            }
            #expect(opened == Deployment.attackRounds)
            #expect(living == 0)
        }
    }

    @Test("A refresh token used at both at once: one attempt has one successor, 100 times, and two end the session")
    func refreshes() async throws {
        try await TwoProcesses.run { servers in
            let app = try await servers.first.bearerClient()
            let elsewhere = app.at(servers.second)
            let account = try await servers.first.account()
            var token = try #require(try await app.signIn(account).refreshToken)
            for round in 0..<Deployment.rounds {
                let (current, same) = (token, try attempt(round))
                async let one = app.refresh(current, attempt: same)
                async let other = elsewhere.refresh(current, attempt: same)
                let successors = try await [one, other].map { try $0.tokens().refreshToken }
                #expect(successors[0] == successors[1])
                token = try #require(successors[0])
            }
            let last = token
            let attempts = [try attempt(1_000_001), try attempt(1_000_002)]
            async let one = app.refresh(last, attempt: attempts[0])
            async let other = elsewhere.refresh(last, attempt: attempts[1])
            let outcomes = try await [one, other]
            #expect(outcomes.count { $0.refusal == nil } <= 1)
            for winner in outcomes where winner.refusal == nil {
                let successor = try #require(try winner.tokens().refreshToken)
                let refused = try await app.refresh(successor)
                #expect(refused.refusal == .invalidGrant, "the session has ended")
            }
        }
    }

    @Test("A refresh that waits for a change that voids codes and keeps sessions goes on after it, and refuses no one")
    func keptSession() async throws {
        try await TwoProcesses.run { servers in
            let app = try await servers.first.bearerClient()
            let account = try await servers.first.account()
            let id = try #require(UniqueID(bytes: account.bytes))
            let token = try #require(try await app.signIn(account).refreshToken)
            let mayCommit = DispatchSemaphore(value: 0)
            let (holding, continuation) = AsyncStream.makeStream(of: Void.self)
            async let keeping: Void = servers.second.context.database.write { connection in
                try Accounts.raiseSecurityVersionKeepingSessions(of: id, on: connection)
                continuation.yield()
                mayCommit.wait()
            }
            for await _ in holding { break }
            async let renewal = app.refresh(token)
            let isWaiting = try await wait(for: 1, at: servers.second)
            mayCommit.signal()
            try await keeping
            #expect(isWaiting)
            let renewed = try await renewal.tokens()
            _ = try await app.refresh(try #require(renewed.refreshToken)).tokens()
        }
    }

    /// What the other process is asked after the expiry.
    enum Question: CaseIterable, Sendable {
        case status
        case use
        case withdrawal
    }

    @Test(
        "If a consent is not yet committed when its time is up, status, use and withdrawal elsewhere wait, and agree with its outcome",
        arguments: Question.allCases)
    func lateCommit(question: Question) async throws {
        try await TwoProcesses.run { servers in
            let shop = try await TestShop.open(tokensLast: .minutes(30), on: servers.first)
            let elsewhere = shop.at(servers.second)
            let transfer = try TestShop.transfer()
            let event = try await shop.required(transfer)
            for _ in 0..<3 {
                servers.clock.advance(by: .minutes(4))
                _ = try await shop.challenge(.sms, of: event).get()
            }
            servers.clock.advance(by: SCALimits.eventLifetime - .minutes(12) - .seconds(1))
            let code = try await shop.code()
            let id = try #require(UniqueID(uuid: event.rawValue))
            let mayEnd = DispatchSemaphore(value: 0)
            // From the comparison on, the consent's write has to wait for another one.
            servers.first.beforeNextWrite {
                servers.first.beforeNextWrite {
                    await hold(at: servers.second, until: mayEnd) { try WalletOperations.touch(id, on: $0) }
                }
            }
            async let consent = shop.attempt(code, .sms, at: event)
            let consentWaits = try await wait(for: 1, at: servers.second)
            #expect(consentWaits)
            servers.clock.advance(by: .seconds(1))
            async let answer: WalletOperationStatus? = {
                switch question {
                case .status: return try await elsewhere.status()
                case .use:
                    let used = try await elsewhere.consume(transfer, event: event)
                    if used.refusal == .over(.expired) { return .expired }
                    _ = try used.get()
                    return .authorized
                case .withdrawal:
                    try await elsewhere.server.flows.consent.operations.cancel(
                        WalletOperationID("op-1"), call: elsewhere.call()
                    ).get()
                    return nil
                }
            }()
            let questionWaits = try await wait(for: 2, at: servers.second)
            #expect(questionWaits)
            mayEnd.signal()
            // It finishes first, or begins again and comes too late.
            let consented = try await consent
            if consented.refusal != .over(.expired) { #expect(try consented.get().status == .verified) }
            let expected: WalletOperationStatus =
                switch (consented.refusal, question) {
                case (.some, _): .expired
                case (nil, .status): .verified
                case (nil, .use): .authorized
                case (nil, .withdrawal): .cancelled
                }
            let answered = try await answer
            #expect(answered == (question == .withdrawal ? nil : expected))
            let status = try await elsewhere.status()
            #expect(status == expected)
        }
    }

    /// What the other process is asked about a transaction after its expiry.
    enum TransactionQuestion: CaseIterable, Sendable {
        case status
        case list
        case cancellation
    }

    @Test(
        """
        If a signature is not yet committed when its time is up, status, list and cancellation elsewhere wait, and \
        agree with the transaction's outcome
        """, arguments: TransactionQuestion.allCases)
    func lateSignature(question: TransactionQuestion) async throws {
        try await TwoProcesses.run { servers in
            let till = try await TestTill.open(on: servers.first)
            let elsewhere = try till.at(servers.second)
            let confirmed = try await till.confirmed(expiresIn: 30)
            servers.clock.advance(by: .seconds(29))
            let assertion = try await till.byBiometrics(confirmed)
            let id = try #require(UniqueID(uuid: confirmed.transactionID.rawValue))
            let mayEnd = DispatchSemaphore(value: 0)
            // From now on, the signature's write has to wait for another one.
            await hold(at: servers.second, until: mayEnd) { try Transactions.touch(id, on: $0) }
            async let signature = till.sign(confirmed, assertion)
            let signatureWaits = try await wait(for: 1, at: servers.second)
            #expect(signatureWaits)
            servers.clock.advance(by: .seconds(1))
            async let answer: TransactionStatus? = {
                switch question {
                case .status: return try await elsewhere.report(confirmed.transactionID).status
                case .list:
                    return try await elsewhere.flows.ofBackends.list(TransactionQuery(), call: elsewhere.call())
                        .transactions.last?.status
                case .cancellation:
                    let cancelled = try await elsewhere.cancel(confirmed.transactionID)
                    if case .failure(.over(let status)) = cancelled { return status }
                    return nil
                }
            }()
            let questionWaits = try await wait(for: 2, at: servers.second)
            #expect(questionWaits)
            mayEnd.signal()
            // It finishes first, or begins again and comes too late.
            let signed = try await signature
            if let refusal = signed.refusal { #expect(refusal == .refused(.over(.expired))) }
            let expected: TransactionStatus = signed.refusal == nil ? .signed : .expired
            let answered = try await answer
            #expect(answered == expected)
            let status = try await elsewhere.report(confirmed.transactionID).status
            #expect(status == expected)
        }
    }

    /// Has a write hold a row until a signal, and then undoes it. Returns once the row is held.
    private func hold(
        at server: TestServer, until mayEnd: DispatchSemaphore,
        _ touch: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async {
        let (holding, continuation) = AsyncStream.makeStream(of: Void.self)
        Task {
            try await server.context.database.write { connection -> Void in
                try touch(connection)
                continuation.yield()
                mayEnd.wait()
                throw CancellationError()
            }
        }
        for await _ in holding { break }
    }

    /// Waits for a number of writes to wait for a lock of the database.
    private func wait(for number: Int64, at server: TestServer) async throws -> Bool {
        let waiting = """
            SELECT COUNT(*) AS number FROM pg_catalog.pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            """
        return try await becomesTrue {
            try await server.context.database.read { try $0.row(waiting, [])?.integer("number") } == number
        }
    }

    private func attempt(_ number: Int) throws -> RefreshAttempt {
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }
        return try RefreshAttempt(Base64URL.encode(bytes))
    }

    @Test("Of two payees that both processes trust at once one is the hundredth, 100 times")
    func payees() async throws {
        try await TwoProcesses.run { servers in
            let account = try await servers.first.account()
            let client = try await servers.first.confidentialClient("shop").id.rawValue
            let id = try #require(UniqueID(bytes: account.bytes))
            let now = servers.clock.now()
            @Sendable func trust(at server: TestServer) async throws -> UniqueID? {
                let payee = try server.context.random.uniqueID()
                let isAdded = try await server.context.database.write {
                    try TrustedPayees.add([1], id: payee, of: id, client: client, now: now, on: $0)
                }
                return isAdded ? payee : nil
            }
            for _ in 1..<TrustedPayees.most {
                let added = try await trust(at: servers.first)
                #expect(added != nil)
            }
            for _ in 0..<Deployment.rounds {
                async let one = trust(at: servers.first)
                async let other = trust(at: servers.second)
                let added = try await [one, other].compactMap(\.self)
                #expect(added.count == 1)
                try await servers.first.context.database.write { connection in
                    for payee in added { try TrustedPayees.remove(payee, of: id, on: connection) }
                }
            }
        }
    }

    @Test("Of two operations that are requested at both processes at once one is the last that a session may have open")
    func openOperations() async throws {
        try await TwoProcesses.run { servers in
            let shop = try await TestShop.open(tokensLast: .minutes(30), on: servers.first)
            let elsewhere = shop.at(servers.second)
            let transfer = try TestShop.transfer()
            for number in 1..<SCALimits.openOperationsOfSession {
                _ = try await shop.required(transfer, id: "op-\(number)")
            }
            // Fewer rounds than operations that one backend may request without carrying them out.
            for round in 0..<20 {
                let ids = ["first-\(round)", "second-\(round)"]
                async let one = shop.ask(transfer, id: ids[0])
                async let other = elsewhere.ask(transfer, id: ids[1])
                let outcomes = try await [one, other]
                #expect(outcomes.count { $0.refusal == nil } == 1)
                for (id, outcome) in zip(ids, outcomes) where outcome.refusal == nil {
                    try await shop.server.flows.consent.operations.cancel(WalletOperationID(id), call: shop.call())
                        .get()
                }
            }
        }
    }
}
