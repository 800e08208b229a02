import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite(
    "Signing a transaction",
    .covers(
        "flowService.start(with: qrData), NextAuthException", "FlowUpdate callbacks",
        "client-initiated create(transaction:)"))
struct FlowTests {
    @Test("A scanned transaction is signed, with the updates in the documented order")
    func order() async throws {
        let till = try await Till()
        let story = await Person().follow(try till.wallet.flows.start(with: till.code()))
        #expect(
            story.words == [
                "processing", "confirm transaction", "processing", "verify second factor", "processing", "done",
            ])
        #expect(till.statuses == [.signed])
        let details = try #require(story.details.first)
        #expect(details.amount?.minorUnits == 1250)
        #expect(details.payee?.name == "Café Zürich")
        #expect(details.fields.map(\.rank) == [.primary, .primary, .secondary])
        #expect(story.signed?.secondFactor == .biometric)
        #expect(story.signed?.details == details)
        #expect(till.world.keys.presence.reasons == ["Sign"])
    }

    @Test("No sign-in is needed: the device's key speaks for it")
    func signedOut() async throws {
        let till = try await Till()
        try await till.wallet.logout()
        let story = await Person().follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words.last == "done")
    }

    @Test("A transaction that the app begins has no confirmation, and is stored once it is signed")
    func client() async throws {
        let till = try await Till()
        let data = Data("terms, version 7".utf8)
        let flow = try till.wallet.transactions.create(
            ClientTransaction(
                clientState: Data("checkout".utf8), clientAdditionalData: data, requiredSecondFactorType: .biometric))
        let person = Person(proves: { question in
            #expect(till.statuses.isEmpty)
            #expect(question.allowed == [.biometric])
            #expect(question.details == nil)
            question.biometrics(reason: "Sign")
        })
        let story = await person.follow(flow)
        #expect(story.words == ["processing", "verify second factor", "processing", "done"])
        #expect(till.world.server.transactions.map(\.clientAdditionalData) == [Array(data)])
    }

    @Test("Empty state and data of an app are none, and the transaction is signed")
    func emptyClientData() async throws {
        let till = try await Till()
        let flow = try till.wallet.transactions.create(
            ClientTransaction(clientState: Data(), clientAdditionalData: Data(), requiredSecondFactorType: .biometric))
        let story = await Person(proves: { $0.biometrics(reason: "Sign") }).follow(flow)
        #expect(story.words == ["processing", "verify second factor", "processing", "done"])
        #expect(till.world.server.transactions.map(\.clientAdditionalData) == [nil])
    }

    @Test("Rejecting takes no second factor, and the server learns why")
    func rejects() async throws {
        let till = try await Till()
        let person = Person(confirms: { $0.reject(.wrongData) })
        let story = await person.follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words == ["processing", "confirm transaction", "processing", "rejected"])
        #expect(till.world.server.transactions.map(\.reason) == [.wrongData])
        #expect(till.world.keys.presence.reasons.isEmpty)
    }

    @Test(
        "Text that is neither a code nor a link of a transaction is refused at once, and nothing is sent",
        arguments: [
            "", "hello", "https://shop.example.com/t/1", "https://auth.example.com/callback?code=1",
            "https://auth.example.com/t/0190b3f2-0000-7000-8000-000000000001",
            "https://auth.example.com/t/0190b3f2-0000-7000-8000-000000000001#short",
        ])
    func garbage(data: String) async throws {
        let till = try await Till()
        let sent = till.world.server.requests.count
        let error = #expect(throws: WalletError.self) { _ = try till.wallet.flows.start(with: data) }
        #expect(error?.code == .invalidQRData)
        #expect(till.world.server.requests.count == sent)
    }

    @Test("Another server's code is refused at once as no account's here, and nothing is sent")
    func elsewhere() async throws {
        let till = try await Till()
        let sent = till.world.server.requests.count
        let code = try till.code().replacing("https://auth.example.com", with: "https://auth.example.net")
        let error = #expect(throws: WalletError.self) { _ = try till.wallet.flows.start(with: code) }
        #expect(error?.code == .noAccountForServer)
        #expect(till.world.server.requests.count == sent)
    }

    @Test("One flow runs at a time; the next may begin once it has ended or was cancelled")
    func oneAtATime() async throws {
        let till = try await Till()
        let flow = try till.wallet.flows.start(with: till.code())
        let error = #expect(throws: WalletError.self) { _ = try till.wallet.transactions.create(ClientTransaction()) }
        #expect(error?.code == .flowActive)
        flow.cancel()
        let next = try till.wallet.flows.start(with: till.code())
        let story = await Person().follow(next)
        #expect(story.words.last == "done")
        let cancelled = await Person().follow(flow)
        #expect(cancelled.error?.outcome == .cancelledByPerson)
        #expect(till.statuses.last == .signed)
    }

    @Test("An answer to a question that was answered changes nothing")
    func answersOnce() async throws {
        let till = try await Till()
        let person = Person(confirms: { question in
            question.confirm()
            question.reject(.unexpected)
            question.cancel()
        })
        let story = await person.follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words.last == "done")
        #expect(till.statuses == [.signed])
    }

    @Test("Leaving the loop cancels the flow: the transaction stays unsigned, and scanning again continues it")
    func leaves() async throws {
        let till = try await Till()
        let code = try till.code()
        for await update in try till.wallet.flows.start(with: code) {
            if case .waitForInput = update.state { break }
        }
        #expect(till.statuses == [.claimed])
        let story = await Person().follow(try till.wallet.flows.start(with: code))
        #expect(story.words.last == "done")
        #expect(till.world.server.transactions.map(\.signatures) == [1])
    }

    @Test("A loop that is left cancels its flow though the app keeps the flow and its question")
    func leavesStored() async throws {
        let till = try await Till()
        let code = try till.code()
        let flow = try till.wallet.flows.start(with: code)
        var kept: UserInteraction.Confirmation?
        for await update in flow {
            guard case .waitForInput(.confirmTransaction(let question)) = update.state else { continue }
            kept = question
            break
        }
        try #require(kept).confirm()
        let next = try till.wallet.flows.start(with: code)
        #expect(till.statuses == [.claimed])
        #expect(await Person().follow(next).words.last == "done")
        #expect(await Person().follow(flow).signed == nil)
        #expect(till.world.server.transactions.map(\.signatures) == [1])
    }

    @Test("With two accounts on the device the person chooses, unless the app has")
    func chooses() async throws {
        let till = try await Till()
        let alice = try #require(try await till.wallet.accounts.first)
        try await till.wallet.logout()
        _ = try await till.wallet.login(username: "bob", password: "battery staple")
        try await till.enroll("bob")
        let person = Person(chooses: { choice in
            #expect(choice.accounts.count == 2)
            choice.choose(alice)
        })
        let story = await person.follow(try till.wallet.flows.start(with: till.code()))
        #expect(story.words.prefix(3) == ["processing", "choose account", "processing"])
        #expect(story.signed?.account == alice.id)
        let told = await Person().follow(try till.wallet.flows.start(with: till.code(), account: alice.id))
        #expect(!told.words.contains("choose account"))
        #expect(told.signed?.account == alice.id)
    }
}
