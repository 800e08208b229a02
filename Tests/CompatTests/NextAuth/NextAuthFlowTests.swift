import Foundation
import NextAuthCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@MainActor
@Suite(
    "Signing with nextAuth's names", .threat("Apps that moved here from another vendor"),
    .covers("their own names, by a changed import", "binary QR codes, com.nextauth.client: links"))
struct NextAuthFlowTests {
    private static let scanned = [
        "PROCESSING", "WAIT_FOR_INPUT CONFIRM_TRANSACTION", "PROCESSING", "WAIT_FOR_INPUT VERIFY_SECOND_FACTOR",
        "PROCESSING", "DONE",
    ]

    private func world() async throws -> (NextAuthWorld, NextAuthRecorder) {
        let world = try await NextAuthWorld.enrolled()
        let recorder = NextAuthRecorder()
        world.nextAuth.delegate = recorder
        return (world, recorder)
    }

    @Test("A scanned transaction passes the states in the order of the vendor's page")
    func serverInitiated() async throws {
        let (world, recorder) = try await world()
        try world.nextAuth.flowService.start(with: world.code())
        #expect(recorder.steps.isEmpty)
        await recorder.ends()
        #expect(recorder.steps == Self.scanned)
        #expect(world.statuses == [.signed])
        let shown = try #require(recorder.updates[1].transaction)
        #expect(shown.amount?.decimal == Decimal(string: "12.5"))
        #expect(shown.amount?.currency == .euro)
        #expect(shown.payee?.name == "Café Zürich")
        #expect(shown.lines.map(\.label) == ["Order"])
        #expect(shown.lines.map(\.value) == ["No. 42"])
        #expect(recorder.updates[3].currentUserInteraction?.allowedSecondFactors == [.biometrics])
        #expect(recorder.updates[3].transaction == shown)
        #expect(recorder.updates[3].previousInteractionResult?.type == .success)
        #expect(recorder.updates.last?.signedTransactionID == shown.id.rawValue)
    }

    @Test("A sign-in page's code is the flow LOGIN: CONFIRM with three numbers, then VERIFY_SECOND_FACTOR")
    func login() async throws {
        let (world, recorder) = try await world()
        try world.nextAuth.flowService.start(with: world.server.showSignInCode())
        await recorder.ends()
        #expect(
            recorder.steps == [
                "PROCESSING", "WAIT_FOR_INPUT CONFIRM", "PROCESSING", "WAIT_FOR_INPUT VERIFY_SECOND_FACTOR",
                "PROCESSING", "DONE",
            ])
        #expect(recorder.updates.allSatisfy { $0.type == .login })
        #expect(recorder.updates[1].currentUserInteraction?.signIn?.numbers == [12, 47, 83])
        #expect(recorder.updates[3].currentUserInteraction?.allowedSecondFactors == [.biometrics])
        #expect(recorder.updates[3].previousInteractionResult?.type == .success)
        #expect(world.statuses == [.signed])
    }

    @Test("A wrong number, and “not me”, end the flow LOGIN with an error")
    func refusedLogin() async throws {
        let (world, recorder) = try await world()
        recorder.picks = { $0.choose(number: 12) }
        try world.nextAuth.flowService.start(with: Data(world.server.showSignInCode().utf8))
        await recorder.ends()
        #expect(recorder.updates.last?.error?.code == .numberMismatch)
        recorder.picks = { $0.reject() }
        try world.nextAuth.flowService.start(with: world.server.showSignInCode())
        await recorder.ends(2)
        #expect(recorder.updates.last?.error?.code == .rejected)
        #expect(world.statuses.last == .rejected)
    }

    @Test("A transaction of the app has no confirmation, and empty state and data are none")
    func clientInitiated() async throws {
        let (world, recorder) = try await world()
        let transaction = Transaction(
            clientState: .init(), clientAdditionalData: .init(), requiredSecondFactorType: .biometrics)
        try world.nextAuth.create(transaction: transaction)
        await recorder.ends()
        #expect(recorder.steps == ["PROCESSING", "WAIT_FOR_INPUT VERIFY_SECOND_FACTOR", "PROCESSING", "DONE"])
        #expect(world.server.transactions.map(\.clientAdditionalData) == [nil])

        let account = try #require(world.nextAuth.accounts.first)
        try world.nextAuth.create(
            transaction: Transaction(clientAdditionalData: Data("terms".utf8), requiredSecondFactorType: .biometrics),
            account: account)
        await recorder.ends(2)
        #expect(world.server.transactions.map(\.clientAdditionalData) == [nil, Array("terms".utf8)])
    }

    @Test("A device without the required factor ends the flow with an error that explains it")
    func noFactor() async throws {
        let (world, recorder) = try await world()
        try world.nextAuth.create(transaction: Transaction(requiredSecondFactorType: .pin))
        await recorder.ends()
        #expect(recorder.steps == ["PROCESSING", "ERROR"])
        let error = try #require(recorder.updates.last?.error)
        #expect(error.code == .secondFactorUnavailable)
        #expect(error.errorDescription != nil)
    }

    @Test("A flow is kept without its screen, and a later one answers it")
    func retained() async throws {
        let (world, recorder) = try await world()
        let flows = world.nextAuth.flowService
        recorder.confirms = { _ in }
        recorder.proves = { _ in }
        try flows.start(with: world.code())
        await recorder.wait { recorder.steps.count == 2 }
        world.nextAuth.delegate = nil

        let later = NextAuthRecorder()
        later.proves = { _ in flows.inputSecondFactor(biometrics: "Sign") }
        world.nextAuth.addObserver(later)
        #expect(flows.currentFlow?.currentUserInteraction?.type == .confirmTransaction)
        flows.confirm()
        await later.ends()
        #expect(later.steps == Array(Self.scanned.dropFirst(2)))
        #expect(recorder.steps.count == 2)
    }

    @Test("Without an observer nothing begins, and the server sees no request")
    func withoutObserver() async throws {
        let world = try await NextAuthWorld.enrolled()
        let code = try world.code()
        let sent = world.server.requests.count
        var released: NextAuthRecorder? = NextAuthRecorder()
        released.map(world.nextAuth.addObserver)
        released = nil
        let started = #expect(throws: NextAuthError.self) { try world.nextAuth.flowService.start(with: code) }
        let created = #expect(throws: NextAuthError.self) { try world.nextAuth.create(transaction: Transaction()) }
        #expect([started?.code, created?.code] == [.noObserver, .noObserver])
        #expect(world.server.requests.count == sent)
        #expect(world.statuses == [.created])
    }

    @Test("A failed factor is asked for again with its result, and then signs")
    func again() async throws {
        let (world, recorder) = try await world()
        recorder.proves = { question in
            let isFirst = recorder.updates.last?.previousInteractionResult?.type == .success
            world.keys.presence.failure = isFirst ? .refused : nil
            question.inputSecondFactor(biometrics: "Sign")
        }
        try world.nextAuth.flowService.start(with: world.code())
        await recorder.ends()
        let asked = recorder.updates.filter { $0.currentUserInteraction?.type == .verifySecondFactor }
        #expect(asked.map(\.previousInteractionResult?.type) == [.success, .biometricsFail])
        #expect(recorder.steps.last == "DONE")
    }

    @Test("A rejected transaction ends with an error that has nothing to say to the person")
    func rejects() async throws {
        let (world, recorder) = try await world()
        recorder.confirms = { $0.reject(.wrongData) }
        try world.nextAuth.flowService.start(with: world.code())
        await recorder.ends()
        #expect(recorder.steps == ["PROCESSING", "WAIT_FOR_INPUT CONFIRM_TRANSACTION", "PROCESSING", "ERROR"])
        let error = try #require(recorder.updates.last?.error)
        #expect(error.code == .rejected)
        #expect(error.errorDescription == nil)
        #expect(world.server.transactions.map(\.reason) == [.wrongData])
    }

    @Test("Second answers, and answers to other questions, do nothing")
    func answersOnce() async throws {
        let (world, recorder) = try await world()
        let flows = world.nextAuth.flowService
        recorder.confirms = { question in
            flows.inputSecondFactor("804613972558")
            flows.confirm()
            flows.confirm()
            flows.reject()
            question.reject()
        }
        recorder.proves = { question in
            flows.reject()
            flows.inputSecondFactor(biometrics: "Sign")
            flows.inputSecondFactor(biometrics: "Again")
            question.cancel()
        }
        try flows.start(with: world.code())
        await recorder.ends()
        #expect(recorder.steps == Self.scanned)
        #expect(world.keys.presence.reasons == ["Sign"])
    }

    @Test("With several accounts on the device, the person chooses")
    func chooses() async throws {
        let (world, recorder) = try await world()
        let alice = try #require(world.nextAuth.accounts.first)
        try await world.nextAuth.wallet.logout()
        try await world.enroll("bob", "battery staple")
        recorder.chooses = { question in
            #expect(question.accounts.count == 2)
            question.choose(alice)
        }
        try world.nextAuth.flowService.start(with: world.code())
        await recorder.ends()
        #expect(recorder.steps == ["PROCESSING", "WAIT_FOR_INPUT CHOOSE_ACCOUNT"] + Self.scanned)
    }

    @Test("A flow may follow the last callback of another, and each observer receives each update once")
    func nextFlow() async throws {
        let (world, recorder) = try await world()
        let second = NextAuthRecorder()
        second.confirms = { _ in }
        second.proves = { _ in }
        world.nextAuth.addObserver(second)
        world.nextAuth.addObserver(second)
        let codes = [try world.code(), try world.code()]
        try world.nextAuth.flowService.start(with: codes[0])
        let busy = #expect(throws: NextAuthError.self) { try world.nextAuth.flowService.start(with: codes[1]) }
        #expect(busy?.code == .flowActive)
        await recorder.ends()
        try world.nextAuth.flowService.start(with: codes[1])
        await second.ends(2)
        #expect(recorder.steps == Self.scanned + Self.scanned)
        #expect(second.steps == recorder.steps)
    }

    @Test("A stopped flow ends with `cancelled`, and its transaction stays open")
    func stops() async throws {
        let (world, recorder) = try await world()
        recorder.confirms = { _ in world.nextAuth.flowService.stop() }
        try world.nextAuth.flowService.start(with: world.code())
        await recorder.ends()
        #expect(recorder.updates.last?.error?.code == .cancelledByPerson)
        #expect(world.statuses == [.claimed])
    }

    @Test("Codes of a former server, and of another one, are refused by a sentence; nothing is sent")
    func refuses() async throws {
        let (world, recorder) = try await world()
        defer { withExtendedLifetime(recorder) {} }
        let sent = world.server.requests.count
        func refusal(_ start: () throws -> Void) throws -> NextAuthError {
            try #require(#expect(throws: NextAuthError.self) { try start() })
        }
        let flows = world.nextAuth.flowService
        let binary = try refusal { try flows.start(with: Data([0x01, 0xFF, 0xC0])) }
        let link = try refusal { try flows.start(with: "com.nextauth.client:AQIDBA") }
        for error in [binary, link] {
            #expect(error.code == .invalidQRData)
            #expect(error.description.contains("nextAuth server"), "\(error)")
            #expect(error.errorDescription != nil)
        }
        let code = String(decoding: try world.code(), as: UTF8.self)
        let elsewhere = try #require(
            URL(string: code.replacing("https://auth.example.com", with: "https://auth.example.net")))
        #expect(try refusal { try flows.start(with: elsewhere) }.code == .noAccountsForServer)
        #expect(world.server.requests.count == sent)
    }
}
