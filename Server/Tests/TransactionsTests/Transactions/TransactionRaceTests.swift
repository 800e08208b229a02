import FlowSupport
import SignIn
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Transactions

/// Two steps at once on one transaction: one wins, and the other learns it.
@Suite("Races over a transaction", .threat("Attacks on transactions"))
struct TransactionRaceTests {
    /// How many transactions race at the same time: fewer than an account may have open.
    private static let width = 10

    private typealias Take = @Sendable (TestTill, DeviceTransaction) async throws -> String

    private struct Step: Sendable {
        let till: TestTill
        let take: Take

        func callAsFunction(_ transaction: DeviceTransaction) async throws -> String {
            try await take(till, transaction)
        }
    }

    /// The outcomes of two steps on each of many confirmed transactions, and the states they ended in. With two processes, each
    /// step is taken at another one.
    private func race(
        in deployment: Deployment, _ first: @escaping Take, _ second: @escaping Take
    ) async throws -> [(outcomes: [String], status: TransactionStatus)] {
        try await deployment.run { here, there in
            let till = try await TestTill.open(on: here)
            let steps = [Step(till: till, take: first), Step(till: try till.at(there), take: second)]
            return try await race(steps)
        }
    }

    private func race(_ steps: [Step]) async throws -> [(outcomes: [String], status: TransactionStatus)] {
        let till = steps[0].till
        var results: [(outcomes: [String], status: TransactionStatus)] = []
        for _ in 0..<(Deployment.rounds / Self.width) {
            results += try await withThrowingTaskGroup(of: ([String], TransactionStatus).self) { group in
                for number in 0..<Self.width {
                    group.addTask {
                        let transaction = try await till.confirmed()
                        // Half of them begin in the other order.
                        let (early, late) = number % 2 == 0 ? (steps[0], steps[1]) : (steps[1], steps[0])
                        async let a = early(transaction)
                        async let b = late(transaction)
                        let outcomes = try await [a, b]
                        return (
                            number % 2 == 0 ? outcomes : outcomes.reversed(),
                            try await till.report(transaction.transactionID).status
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append((outcomes: $1.0, status: $1.1)) }
            }
        }
        #expect(results.count == Deployment.rounds)
        return results
    }

    private static func word(_ outcome: Result<DeviceTransaction, DeviceTransactionRefusal>) -> String {
        switch outcome {
        case .success(let transaction): transaction.status.rawValue
        case .failure(.refused(.over(let status))): "over: \(status.rawValue)"
        case .failure(let refusal): "\(refusal)"
        }
    }

    @Sendable private func sign(_ till: TestTill, _ transaction: DeviceTransaction) async throws -> String {
        Self.word(try await till.sign(transaction, till.byBiometrics(transaction)))
    }

    @Sendable private func cancel(_ till: TestTill, _ transaction: DeviceTransaction) async throws -> String {
        switch try await till.cancel(transaction.transactionID) {
        case .success: "cancelled"
        case .failure(.over(let status)): "over: \(status.rawValue)"
        case .failure(let refusal): "\(refusal)"
        }
    }

    @Sendable private func reject(_ till: TestTill, _ transaction: DeviceTransaction) async throws -> String {
        Self.word(try await till.reject(transaction))
    }

    @Test("A step that another one overtakes between its look and its write learns what became of the transaction")
    func overtaken() async throws {
        let till = try await TestTill.open()
        let steps: [(status: TransactionStatus, take: Take)] = [
            (.signed, sign), (.cancelled, cancel), (.rejected, reject),
        ]
        for late in steps {
            for early in steps where early.status != late.status {
                let transaction = try await till.confirmed()
                till.server.beforeNextWrite { _ = try await early.take(till, transaction) }
                let outcome = try await late.take(till, transaction)
                #expect(outcome == "over: \(early.status.rawValue)", "\(late.status)")
                #expect(try await till.report(transaction.transactionID).status == early.status)
            }
        }
    }

    @Test("Of a signature and a cancellation one wins, and the other learns which", arguments: Deployment.allCases)
    func signAgainstCancel(deployment: Deployment) async throws {
        let results = try await race(in: deployment, sign, cancel)
        for (outcomes, status) in results {
            switch status {
            case .signed: #expect(outcomes == ["SIGNED", "over: SIGNED"])
            default: #expect(outcomes == ["over: CANCELLED", "cancelled"])
            }
        }
    }

    @Test("Of a signature and a rejection one wins, and the other learns which")
    func signAgainstReject() async throws {
        let results = try await race(in: .single, sign, reject)
        for (outcomes, status) in results {
            switch status {
            case .signed: #expect(outcomes == ["SIGNED", "over: SIGNED"])
            default: #expect(outcomes == ["over: REJECTED", "REJECTED"])
            }
        }
    }

    @Test("Of two signatures one is taken, and the backend gets that one", arguments: Deployment.allCases)
    func signAgainstSign(deployment: Deployment) async throws {
        // Two assertions over two challenges: a repetition of one assertion would be the same signature.
        let results = try await race(in: deployment, sign) { till, transaction in
            let again = try await till.confirm(transaction)
            guard case .success(let other) = again else { return Self.word(again) }
            return Self.word(try await till.sign(other, till.byBiometrics(other)))
        }
        for (outcomes, status) in results {
            #expect(status == .signed)
            #expect(outcomes.sorted() == ["SIGNED", "over: SIGNED"])
        }
    }

    @Test("Of a signature and the expiry one wins, whichever is written first")
    func signAgainstExpiry() async throws {
        let till = try await TestTill.open()
        for _ in 0..<(Deployment.rounds / Self.width) {
            var transactions: [DeviceTransaction] = []
            for _ in 0..<Self.width { transactions.append(try await till.confirmed(expiresIn: 30)) }
            let outcomes = try await withThrowingTaskGroup(of: (TransactionID, String).self) { group in
                for (number, transaction) in transactions.enumerated() {
                    group.addTask {
                        if number == Self.width / 2 { till.server.clock.advance(by: .seconds(30)) }
                        return (transaction.transactionID, try await self.sign(till, transaction))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (id, outcome) in outcomes {
                let status = try await till.report(id).status
                switch status {
                case .signed: #expect(outcome == "SIGNED")
                // A signature that came before the expiry was checked by its own age as well.
                default: #expect(status == .expired && outcome != "SIGNED", "\(outcome)")
                }
            }
        }
    }

    @Test(
        "attack: a signature that waits for its write until the time is over signs nothing that was read as expired",
        arguments: [false, true])
    func waitingSignature(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed(expiresIn: 30)
        let assertion = byPIN ? try await till.byPIN(confirmed) : try await till.byBiometrics(confirmed)
        try await expires(confirmed.transactionID, at: till) {
            let outcome = try await till.sign(confirmed, assertion)
            #expect(outcome.refusal == .refused(.over(.expired)))
        }
    }

    @Test("A rejection and a cancellation that wait for their write until the time is over end nothing that expired")
    func waitingEnds() async throws {
        let till = try await TestTill.open()
        let claimed = try await till.claim(till.created(expiresIn: 30).link).get()
        try await expires(claimed.transactionID, at: till) {
            let outcome = try await till.reject(claimed)
            #expect(outcome.refusal == .refused(.over(.expired)))
        }
        let created = try await till.created(expiresIn: 30)
        let call = try await till.call()
        try await expires(created.transactionID, at: till) {
            let outcome = try await till.flows.ofBackends.cancel(created.transactionID, call: call)
            #expect(outcome.refusal == .over(.expired))
        }
    }

    @Test("attack: the removal of a phone that waits for its write until time is up cancels nothing that expired")
    func waitingRemoval() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed(expiresIn: 30)
        let open = try await till.confirmed()
        try await expires(confirmed.transactionID, at: till) {
            try await till.server.administer(["device", "remove", till.phone.id.rawValue])
        }
        #expect(try await till.proof(confirmed.transactionID).status == .expired)
        #expect(try await till.report(open.transactionID).status == .cancelled)
        #expect(try await till.proof(open.transactionID).status == .cancelled)
    }

    /// Takes a step whose write begins only after the backend has read that the transaction expired.
    private func expires(
        _ id: TransactionID, at till: TestTill, while step: () async throws -> Void
    ) async throws {
        till.server.beforeNextWrite {
            till.server.clock.advance(by: .seconds(30))
            let report = try await till.report(id)
            #expect(report.status == .expired)
        }
        try await step()
        #expect(try await till.report(id).status == .expired)
    }

    @Test("Reading a transaction that has just expired waits for the signature that came in time")
    func readBehindWrites() async throws {
        let till = try await TestTill.open()
        let presented = try await till.presented()
        @Sendable func call() async throws -> BackendCaller {
            try await till.server.flows.callers.backend(presented, scope: BackendTransactions.scope)
        }
        let readings: [@Sendable (TransactionID) async throws -> TransactionStatus?] = [
            { try await till.flows.ofBackends.find($0, call: call()).get().status },
            { _ in
                try await till.flows.ofBackends.list(TransactionQuery(), call: call()).transactions.last?.status
            },
            {
                let document = try await till.flows.ofBackends.evidence(of: $0, call: call()).get()
                let keys = try JWKSet(till.server.context.audit.publicKeys(now: till.server.clock.now()))
                return try document.verified(by: keys).status
            },
        ]
        for read in readings {
            let confirmed = try await till.confirmed(expiresIn: 30)
            let assertion = try await till.byBiometrics(confirmed)
            till.server.clock.advance(by: .seconds(30))
            // The signature of a moment before the expiry, whose commit the first look did not see.
            till.server.beforeNextWrite {
                till.server.clock.advance(by: .seconds(-30))
                _ = try await till.sign(confirmed, assertion).get()
                till.server.clock.advance(by: .seconds(30))
            }
            #expect(try await read(confirmed.transactionID) == .signed)
        }
    }

    @Test("Of two phones that scan one code, one has it")
    func claimAgainstClaim() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        let account = try await till.server.account("eve") {
            $0.email = "eve@example.com"
            $0.emailVerified = true
        }
        let device = try await TestDevice.signedIn(account, till.phone.device.app.client)
        let eve = try TestPIN(device, account, try await device.enrolled(account, name: "Eve's phone").id)
        _ = try await eve.setPIN(TestTill.pin).get()
        till.server.clock.advance(by: till.server.context.settings.devices.coolingPeriod)
        for _ in 0..<(Deployment.rounds / Self.width) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.width {
                    group.addTask {
                        let created = try await till.ask(till.purchase(for: nil)).get()
                        async let first = till.claim(created.link)
                        async let second = till.claim(created.link, by: eve)
                        let words = try await [Self.word(first), Self.word(second)].sorted()
                        #expect(words == ["CLAIMED", "refused(SignIn.TransactionRefusal.alreadyClaimed)"])
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
