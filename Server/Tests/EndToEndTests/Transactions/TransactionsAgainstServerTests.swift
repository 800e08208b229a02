import Foundation
import Testing
import WalletAuth
import WalletAuthPIN
import WalletAuthTesting
import WalletAuthVerifier
import WalletAuthWire

/// The SDK and the backend's library against the running program.
@Suite(
    "Transactions signed on the phone",
    .covers("AllowedSecondFactors", "transactions through the server API", "the app is killed", "biometricsRemoved"))
struct TransactionsAgainstServerTests {
    @Test("Scanned, read, signed with the PIN: the waiting shop learns of it, and its proof says what the person saw")
    func signsByPIN() async throws {
        try await TillWorld.use { world in
            let request = try TillWorld.coffee(.pin)
            let created = try await world.create(request)
            async let outcome = world.transactions.outcome(of: created.transactionID)
            let story = try await Signer().follow(try world.wallet.flows.start(with: created.link.reveal()))
            #expect(story.words == ["processing", "confirm", "processing", "verify", "processing", "done"])
            #expect(story.questions.map(\.allowed) == [[.pin]])
            #expect(story.details?.amount?.minorUnits == 1250)
            let report = try await outcome
            #expect(report.status == .signed)
            #expect(report.secondFactor == .pin)
            #expect(report.payload.map { Data($0) } == story.signed?.payload)

            let keys = try await world.auditKeys()
            let proof = try await world.transactions.signedEvidence(
                of: created.transactionID, for: request, verifiedBy: keys)
            #expect(proof.claims.account == story.signed?.account)
            #expect(proof.claims.steps.map(\.status) == [.created, .claimed, .confirmed, .signed])
            let file = world.server.folder.appending(path: "proof.jws")
            try Data(proof.document.rawValue.utf8).write(to: file)
            let told = try await world.server.require(["transaction", "verify", file.path])
            #expect(told.contains(#"payee: "Café Zürich""#), "\(told)")
            let mistaken = try await world.server.administer(["audit", "verify-evidence", file.path])
            #expect(mistaken.ending == .exited(1))
            #expect(mistaken.errors.contains("use `walletauth transaction verify`"), "\(mistaken)")
            let exported = world.server.folder.appending(path: "audit-keys.json")
            try Data(try await world.server.require(["audit", "key"]).utf8).write(to: exported)
            let script = Programs.repository.appending(path: "scripts/verify_evidence.py")
            let independent = try await ChildProcess.run(
                Programs.python, [script.path, file.path, exported.path], folder: world.server.folder)
            #expect(independent.ending == .exited(1))
            let reason = independent.output + independent.errors
            #expect(reason.contains("use `walletauth transaction verify`"), "\(independent)")
        }
    }

    @Test("By face, and in a session of its own: the sign-in before it counts for nothing")
    func signsByPresence() async throws {
        try await TillWorld.use { world in
            try await world.wallet.logout()
            let created = try await world.create(try TillWorld.coffee())
            let presence = world.linked.phone.keys.presence
            let before = presence.reasons.count
            let story = try await Signer(proves: { $0.biometrics(reason: "Pay 12.50 EUR to Café Zürich") })
                .follow(try world.wallet.flows.start(with: created.link.reveal()))
            #expect(story.signed?.secondFactor == .biometric)
            #expect(presence.reasons.dropFirst(before) == ["Pay 12.50 EUR to Café Zürich"])
        }
    }

    @Test(
        "A face that changed during a transaction is taken off the question, and the PIN signs in the same flow",
        .onceForAllEngines)
    func faceChanged() async throws {
        try await TillWorld.use { world in
            let created = try await world.create(try TillWorld.coffee())
            let keys = world.linked.phone.keys
            let story = try await Signer(proves: { question in
                guard question.fault == nil else { return question.pin(TillWorld.pin) }
                keys.changeBiometrics()
                question.biometrics(reason: "Pay")
            }).follow(try world.wallet.flows.start(with: created.link.reveal()))
            #expect(story.questions.map(\.fault) == [nil, .biometricsRemoved])
            #expect(story.questions.map(\.allowed) == [[.pin, .biometric], [.pin]])
            #expect(story.signed?.secondFactor == .pin)
            let state = try await world.wallet.biometrics.state()
            #expect(state == .changed)
            let next = try await Signer().follow(
                try world.wallet.flows.start(with: try await world.create(try TillWorld.coffee()).link.reveal()))
            #expect(next.questions.map(\.allowed) == [[.pin]])
        }
    }

    @Test("What is no PIN costs no try, and a right one after a wrong one signs", .onceForAllEngines)
    func mistypes() async throws {
        try await TillWorld.use { world in
            let created = try await world.create(try TillWorld.coffee(.pin))
            let story = try await Signer(proves: { question in
                switch question.fault {
                case nil: question.pin("12")
                case .pinMalformed: question.pin(TillWorld.wrong)
                default: question.pin(TillWorld.pin)
                }
            }).follow(try world.wallet.flows.start(with: created.link.reveal()))
            #expect(story.questions.map(\.fault) == [nil, .pinMalformed, .pinFailed])
            #expect(story.questions.map(\.remainingAttempts) == [nil, nil, 4])
            #expect(story.words.last == "done")
        }
    }

    @Test("After an operator expired the password, deactivated the account or deleted the app, the phone signs nothing")
    func closedByOperator() async throws {
        try await TillWorld.use { world in
            let name = world.linked.person.username
            let created = try await world.create(try TillWorld.coffee())
            func scanned() async throws -> Signer.Story {
                try await Signer().follow(try world.wallet.flows.start(with: created.link.reveal()))
            }
            try await world.server.require(["account", "expire-password", name])
            #expect(try await scanned().error?.code == .passwordChangeRequired)
            try await world.server.require(["account", "deactivate", name])
            #expect(try await scanned().error?.code == .walletDeactivated)
            try await world.server.require(["account", "reactivate", name])
            try await world.server.require(["client", "delete", world.linked.client.id, "--yes"])
            #expect(try await scanned().words.last == "failed")
            let report = try await world.transactions.find(created.transactionID)
            #expect(report.status == .created)
        }
    }

    @Test("The shop that waits learns at once that the phone was removed")
    func removed() async throws {
        try await TillWorld.use { world in
            let created = try await world.create(try TillWorld.coffee())
            let device = try #require(try await world.wallet.devices.list().first).id.rawValue
            let (transactions, id) = (world.transactions, created.transactionID)
            let outcome = Task { try await transactions.outcome(of: id) }
            _ = try await Signer(confirms: { question in
                try await world.server.require(["device", "remove", device])
                question.cancel()
            }).follow(try world.wallet.flows.start(with: created.link.reveal()))
            let wait = try await runningTime {
                let report = try await outcome.value
                #expect(report.cancellation == .deviceRemoved)
            }
            // One that is not woken goes on for thirty seconds, most of which are still ahead.
            #expect(wait < .seconds(10), "the wait went on to its end")
        }
    }

    @Test(
        "The exit status tells a signed transaction from a genuine proof of any other state, and both from a forgery",
        .onceForAllEngines)
    func exitStatus() async throws {
        try await TillWorld.use { world in
            try Data(try await world.server.require(["audit", "key"]).utf8)
                .write(to: world.server.folder.appending(path: "keys.json"))
            let created = try await world.create(try TillWorld.coffee())
            try await world.expectExit(3, ofProofOf: created, saying: "CREATED")
            _ = try await Signer(confirms: { $0.reject(.unexpected) })
                .follow(try world.wallet.flows.start(with: created.link.reveal()))
            let rejected = try await world.expectExit(3, ofProofOf: created, saying: "REJECTED")

            let bought = try await world.create(try TillWorld.coffee())
            _ = try await Signer().follow(try world.wallet.flows.start(with: bought.link.reveal()))
            let signed = try await world.expectExit(0, ofProofOf: bought, saying: "SIGNED")

            // The signature of one proof under the content of the other.
            let content = rejected.rawValue.split(separator: ".").prefix(2)
            let signature = signed.rawValue.split(separator: ".").suffix(1)
            try await world.expectExit(1, of: (content + signature).joined(separator: "."), saying: "proves NOTHING")
        }
    }

    @Test("The app's own: nothing is stored before the signature, then once, and the backend of the brand has its data")
    func appBegins() async throws {
        try await TillWorld.use { world in
            let own = ClientTransaction(
                clientState: Data("checkout".utf8), clientAdditionalData: Data("terms, version 7".utf8),
                requiredSecondFactorType: .pin)
            let left = try await Signer(proves: { $0.cancel() }).follow(try world.wallet.transactions.create(own))
            #expect(left.error?.outcome == .cancelledByPerson)
            let none = try await world.transactions.list()
            #expect(none.transactions.isEmpty)
            world.linked.phone.network.loseAnswers(1, to: "/v1/transactions")
            let story = try await Signer().follow(try world.wallet.transactions.create(own))
            #expect(story.words == ["processing", "verify", "processing", "done"])
            let reports = try await world.transactions.list().transactions
            #expect(reports.map(\.transactionID) == [story.signed?.id])
            #expect(reports.map(\.origin) == [.client])
            #expect(reports.first?.clientAdditionalData == Array("terms, version 7".utf8))
            #expect(reports.first?.clientState == Array("checkout".utf8))
        }
    }

    @Test(
        "kill -9 of the server between any two steps, and each lost answer: nothing acknowledged is lost, and it is signed once"
    )
    func kills() async throws {
        try await TillWorld.use { world in
            let created = try await world.create(try TillWorld.coffee(.pin))
            let path = "/v1/transactions/\(created.transactionID)"
            for step in ["/v1/transactions/claim", path + "/confirm", path + "/sign", "/v1/pin/evaluate"] {
                world.linked.phone.network.loseAnswers(1, to: step)
            }
            let restart: @Sendable () async throws -> Void = {
                await world.server.crash()
                try await world.server.start()
            }
            try await restart()
            world.linked.phone.network.before(path + "/sign", restart)
            let story = try await Signer(
                confirms: {
                    try await restart()
                    $0.confirm()
                },
                proves: {
                    try await restart()
                    $0.pin(TillWorld.pin)
                }
            ).follow(try world.wallet.flows.start(with: created.link.reveal()))
            #expect(story.words == ["processing", "confirm", "processing", "verify", "processing", "done"])
            try await restart()
            let proof = try await world.transactions.evidence(
                of: created.transactionID, verifiedBy: try await world.auditKeys())
            #expect(proof.claims.steps.map(\.status) == [.created, .claimed, .confirmed, .signed])
        }
    }

    @Test(
        "If the app is killed at any question, its next process continues from the list, or by scanning again",
        .onceForAllEngines)
    func appKilled() async throws {
        try await TillWorld.use { world in
            for question in ["confirm", "verify"] {
                let created = try await world.create(try TillWorld.coffee(.pin))
                let left = try await Signer(
                    confirms: { if question == "confirm" { $0.cancel() } else { $0.confirm() } },
                    proves: { $0.cancel() }
                ).follow(try world.wallet.flows.start(with: created.link.reveal()))
                #expect(left.error?.outcome == .cancelledByPerson)
                let next = try await world.linked.another()
                try await next.setUp()
                let open = try #require(try await next.transactions.open().first)
                #expect(open.id == created.transactionID)
                let flow =
                    question == "confirm"
                    ? try next.flows.start(with: open) : try next.flows.start(with: created.link.reveal())
                let story = try await Signer().follow(flow)
                #expect(story.words.last == "done", "killed at \(question)")
                let none = try await next.transactions.open()
                #expect(none.isEmpty)
            }
        }
    }
}

extension TillWorld {
    /// Expects how `transaction verify` and the independent verifier end for the proof that the server hands out now.
    @discardableResult
    fileprivate func expectExit(
        _ status: Int32, ofProofOf created: TransactionCreated, saying word: String
    ) async throws -> TransactionEvidence {
        let proof = try await transactions.evidence(of: created.transactionID, verifiedBy: try await auditKeys())
        try await expectExit(status, of: proof.document.rawValue, saying: word)
        return proof.document
    }

    fileprivate func expectExit(_ status: Int32, of document: String, saying word: String) async throws {
        try Data(document.utf8).write(to: server.folder.appending(path: "proof.jws"))
        let arguments = ["proof.jws", "--keys", "keys.json"]
        for form in [[], ["--json"]] {
            let told = try await server.administer(["transaction", "verify"] + arguments + form)
            #expect(told.ending == .exited(status), "\(told)")
            #expect((told.output + told.errors).contains(word), "\(told)")
        }
        let independent = try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: "transaction_proof.py").path] + arguments,
            folder: server.folder)
        #expect(independent.ending == .exited(status), "\(independent)")
    }
}
