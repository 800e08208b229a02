import Foundation
import Testing
import WalletAuthTesting
import WalletAuthTransport
import WalletAuthWire

@testable import WalletAuth

@Suite("What goes wrong while a transaction is signed")
struct FlowFailureTests {
    /// Follows a flow whose person answers the questions for a second factor one by one.
    private func follow(_ flow: Flow, _ answers: (@Sendable (UserInteraction.SecondFactor) -> Void)...) async
        -> Person.Story
    {
        let left = LockedValue(answers)
        return await Person(proves: { question in
            guard let next = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return question.cancel() }
            next(question)
        }).follow(flow)
    }

    @Test("A person who declines is asked again; the answer says so, and the next one signs")
    func declines() async throws {
        let till = try await Till()
        let presence = till.world.keys.presence
        let story = await follow(
            try till.wallet.flows.start(with: till.code()),
            {
                presence.failure = .refused
                $0.biometrics(reason: "Sign")
            },
            {
                presence.failure = nil
                $0.biometrics(reason: "Sign")
            })
        #expect(story.faults == [nil, .biometricsDeclined])
        #expect(story.words.last == "done")
    }

    @Test(
        "A person who looks away until the challenge is over signs by another one, as long as the transaction is open")
    func looksAway() async throws {
        let till = try await Till()
        let story = await follow(try till.wallet.flows.start(with: till.code(expiresIn: 900))) {
            till.world.clock.advance(by: .seconds(301))
            $0.biometrics(reason: "Sign")
        }
        #expect(story.words.last == "done", "\(String(describing: story.error))")
        #expect(story.faults == [nil])
        #expect(till.statuses == [.signed])
    }

    @Test("With the only factor gone the flow fails with what makes it work again")
    func factorGone() async throws {
        let till = try await Till()
        let changed = await follow(try till.wallet.flows.start(with: till.code())) {
            till.world.keys.changeBiometrics()
            $0.biometrics(reason: "Sign")
        }
        #expect(changed.error?.outcome == .keyLost(recovery: .enableBiometricsAgain))
        #expect(till.statuses == [.confirmed])
    }

    @Test(
        "A changed set of faces turns biometrics off: the key is gone, later flows do not offer it, and the state says why",
        .covers("biometricsRemoved")
    )
    func changedForGood() async throws {
        let till = try await Till()
        let keys = till.world.keys.names.count
        _ = await follow(try till.wallet.flows.start(with: till.code())) {
            till.world.keys.changeBiometrics()
            $0.biometrics(reason: "Sign")
        }
        #expect(till.world.keys.names.count == keys - 1)
        for wallet in [till.wallet, try till.world.wallet()] {
            let state = try await wallet.biometrics.state()
            #expect(state == .changed)
            let story = await Person().follow(try wallet.flows.start(with: till.code()))
            #expect(story.words == ["processing", "confirm transaction", "processing", "failed"])
            #expect(story.error?.outcome == .keyLost(recovery: .enableBiometricsAgain))
        }
        try await till.enroll("alice")
        let enabled = try await till.wallet.biometrics.state()
        #expect(enabled == .enabled)
        let story = await Person().follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words.last == "done")
    }

    @Test("A factor that the transaction does not allow is a mistake of the app, and signs nothing")
    func wrongFactor() async throws {
        let till = try await Till()
        let story = await follow(try till.wallet.flows.start(with: till.code())) { question in
            question.sign { _ in
                Issue.record("asked for a signature")
                throw CancellationError()
            }
        }
        #expect(story.error?.code == .badRequest)
        #expect(story.error?.outcome == .misconfigured)
    }

    @Test("A transaction that asks for a PIN alone finds none here, and nothing is claimed")
    func noPIN() async throws {
        let till = try await Till()
        let story = await Person().follow(try till.wallet.flows.start(with: till.code(.pin)))
        #expect(story.words == ["processing", "failed"])
        #expect(story.error?.code == .secondFactorUnavailable)
        #expect(story.error?.secondFactorShortage == SecondFactorShortage(required: .pin, pin: .notSet))
        #expect(till.statuses == [.created])
    }

    @Test(
        "What a device lacks to sign comes from the server to the app, which has a text for each cause",
        arguments: [
            (SecondFactorShortage(required: .pin, pin: .notSet), "Set a PIN to sign on this device."),
            (SecondFactorShortage(required: .any, pin: .notSet), "set a PIN or turn on face or fingerprint"),
            (SecondFactorShortage(required: .biometric), "only be signed with your face or fingerprint"),
            (SecondFactorShortage(required: .any, pin: .locked(.tooManyTries)), "locked after too many wrong attempts"),
            (SecondFactorShortage(required: .pin, pin: .locked(.restore)), "restored from a backup"),
            (
                SecondFactorShortage(required: .pin, pin: .exhausted(until: NumericDate(clamping: 1_900_000_000))),
                "can’t sign with a PIN here for now"
            ),
        ])
    func shortages(shortage: SecondFactorShortage, words: String) async throws {
        let till = try await Till()
        var problem = Problem(status: 409, code: "second_factor_unavailable", title: "Conflict").json
        shortage.add(to: &problem)
        till.world.server.inject(
            .answer(HTTPResponse(status: 409, body: Data(problem.bytes))), at: Endpoints.transactionClaim.path)
        let error = try #require(await Person().follow(try till.wallet.flows.start(with: till.code())).error)
        #expect(error.secondFactorShortage == shortage)
        let texts = try UserErrorMessages.builtInLanguages.map {
            try #require(UserErrorMessages.builtIn.text(for: error, languages: [$0]))
        }
        #expect(Set(texts).count == texts.count, "\(texts)")
        let english = try #require(UserErrorMessages.builtIn.text(for: error, languages: ["en"]))
        #expect(english.contains(words), "\(english)")
    }

    @Test("An app's own text for a device without a factor goes before the SDK's text for the cause")
    func ownText() {
        let error = WalletError(
            .secondFactorUnavailable, .refused, during: .signTransaction,
            secondFactorShortage: SecondFactorShortage(required: .pin, pin: .locked(.tooManyTries)), reason: "not shown"
        )
        var messages = UserErrorMessages()
        messages.replace("second_factor_unavailable", in: "en", with: "Ask at the desk.")
        #expect(messages.text(for: error, languages: ["en"]) == "Ask at the desk.")
        messages.replace("second_factor_unavailable.pin", in: "en", with: "Set a PIN.")
        #expect(messages.text(for: error, languages: ["en"]) == "Ask at the desk.", "a PIN is set, and locked")
    }

    @Test("A cancelled and an expired transaction fail with their final state, which the message names")
    func over() async throws {
        let till = try await Till()
        let code = try till.code()
        till.world.server.cancelTransaction(try #require(till.world.server.transactions.first).id)
        let cancelled = await Person().follow(try till.wallet.flows.start(with: code))
        #expect(cancelled.error?.code == .transactionOver)
        #expect(cancelled.error?.transactionStatus == .cancelled)
        let late = try till.code()
        till.world.clock.advance(by: .seconds(301))
        let expired = try #require(await Person().follow(try till.wallet.flows.start(with: late)).error)
        #expect(expired.transactionStatus == .expired)
        #expect(
            UserErrorMessages.builtIn.text(for: expired, languages: ["en"]) == "Time ran out. Ask for a new code.")
    }

    @Test("Killed after the signature was sent, the app scans the code again and reads that it is signed")
    func signedBeforeTheKill() async throws {
        let till = try await Till()
        let code = try till.code()
        let id = try #require(till.world.server.transactions.first).id
        let process = SimulatedProcess(till.world.ports)
        process.kill(at: .afterSending(to: Endpoints.transaction.path(id) + "/sign"))
        _ = await Person().follow(try till.world.wallet(ports: process.ports).flows.start(with: code))
        #expect(till.statuses == [.signed])
        let again = await Person().follow(try till.world.wallet().flows.start(with: code))
        let error = try #require(again.error)
        #expect(error.transactionStatus == .signed)
        let texts = try UserErrorMessages.builtInLanguages.map {
            try #require(UserErrorMessages.builtIn.text(for: error, languages: [$0]))
        }
        #expect(Set(texts).count == texts.count, "\(texts)")
        #expect(UserErrorMessages.builtIn.text(for: error, languages: ["en"]) == "You’ve already signed this.")
    }

    @Test("A second device learns that the code is taken")
    func taken() async throws {
        let till = try await Till()
        let code = try till.code()
        for await update in try till.wallet.flows.start(with: code) {
            if case .waitForInput = update.state { break }
        }
        try await till.wallet.logout()
        _ = try await till.wallet.login(username: "bob", password: "battery staple")
        try await till.enroll("bob")
        let bob = try #require(try await till.wallet.accounts.first { $0.id.rawValue != Shop.alice }).id
        let story = await Person().follow(try till.wallet.flows.start(with: code, account: bob))
        #expect(story.error?.code == .alreadyClaimed)
    }

    @Test("Lost answers cost nothing: each step is sent again, and the transaction is signed once")
    func lostAnswers() async throws {
        let till = try await Till()
        let code = try till.code()
        let path = Endpoints.transaction.path(try #require(till.world.server.transactions.first).id)
        for path in [Endpoints.transactionClaim.path, path + "/confirm", path + "/sign"] {
            till.world.server.inject(.loseAnswer, at: path)
        }
        async let story = Person().follow(try till.wallet.flows.start(with: code))
        await till.passPauses(3)
        #expect(try await story.words.last == "done")
        #expect(till.statuses == [.signed])
        #expect(till.world.server.transactions.map(\.signatures) == [2])
    }

    @Test("A rejection whose answer was lost is sent again, and the server keeps its reason")
    func lostRejection() async throws {
        let till = try await Till()
        let code = try till.code()
        let id = try #require(till.world.server.transactions.first).id
        till.world.server.inject(.loseAnswer, at: Endpoints.transactionRejection.path(id))
        let person = Person(confirms: { $0.reject(.wrongData) })
        async let story = person.follow(try till.wallet.flows.start(with: code))
        await till.passPauses(1)
        #expect(try await story.words.last == "rejected")
        #expect(till.statuses == [.rejected])
        #expect(till.world.server.transactions.map(\.reason) == [.wrongData])
    }

    @Test("A rejection that comes too late is refused, and leaves no reason")
    func lateRejection() async throws {
        let till = try await Till()
        let code = try till.code()
        let id = try #require(till.world.server.transactions.first).id
        let person = Person(confirms: { question in
            till.world.server.cancelTransaction(id)
            question.reject(.wrongData)
        })
        let story = await person.follow(try till.wallet.flows.start(with: code))
        #expect(story.error?.transactionStatus == .cancelled)
        #expect(till.world.server.transactions.map(\.reason) == [nil])
    }

    @Test("Without a network the flow fails as offline; scanning the code again signs")
    func offline() async throws {
        let till = try await Till()
        let code = try till.code()
        till.world.server.network = .offline
        async let failed = Person().follow(try till.wallet.flows.start(with: code))
        await till.passPauses(2)
        #expect(try await failed.error?.outcome == .offline)
        till.world.server.network = .up
        let story = await Person().follow(try till.wallet.flows.start(with: code))
        #expect(story.words.last == "done")
    }

    @Test("After a restart the app finds what it scanned in the list of open transactions, and goes on with it")
    func open() async throws {
        let till = try await Till()
        let none = try await till.wallet.transactions.open()
        #expect(none.isEmpty)
        for await update in try till.wallet.flows.start(with: till.code()) {
            if case .waitForInput = update.state { break }
        }
        let again = try till.world.wallet()
        try await again.setUp()
        let open = try #require(try await again.transactions.open().first)
        #expect(open.details.payee?.name == "Café Zürich")
        let story = await Person().follow(try again.flows.start(with: open))
        #expect(story.words.last == "done")
        let left = try await again.transactions.open()
        #expect(left.isEmpty)
    }

    @Test("A list of open transactions whose pages do not end is given up")
    func endlessList() async throws {
        let till = try await Till()
        let server = till.world.server
        func inject(_ cursor: String) throws {
            let page = TransactionPage<DeviceTransaction>(transactions: [], cursor: try TransactionID(cursor))
            server.inject(
                .answer(HTTPResponse(status: 200, body: Data(page.json.bytes))), at: Endpoints.transactions.path)
        }
        func asked() -> Int { server.requests.count { $0.path == Endpoints.transactions.path } }
        for _ in 0..<3 { try inject("tx-1") }
        let repeated = await #expect(throws: WalletError.self) { try await till.wallet.transactions.open() }
        #expect(repeated?.code == .malformedAnswer)
        #expect(asked() == 2)
        server.withdrawFaults()
        for number in 0..<100 { try inject("tx-\(number)") }
        let endless = await #expect(throws: WalletError.self) { try await till.wallet.transactions.open() }
        #expect(endless?.code == .malformedAnswer)
        #expect(asked() == 2 + DeviceTransactionCalls.maximumPages)
    }

    @Test("The app killed at each question goes on by scanning again")
    func killed() async throws {
        for question in 0..<2 {
            let till = try await Till()
            let code = try till.code()
            var asked = 0
            for await update in try till.wallet.flows.start(with: code) {
                guard case .waitForInput(let interaction) = update.state else { continue }
                if asked == question { break }
                asked += 1
                if case .confirmTransaction(let shown) = interaction { shown.confirm() }
            }
            // Another process of the app: nothing is left in memory.
            let again = try till.world.wallet()
            let story = await Person().follow(try again.flows.start(with: code))
            #expect(story.words.last == "done", "killed at question \(question)")
            #expect(till.statuses == [.signed])
        }
    }
}
