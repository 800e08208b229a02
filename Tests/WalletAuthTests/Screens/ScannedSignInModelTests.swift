import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuthUI

@Suite("The screen of a sign-in by scanning", .covers("what a screen shows")) @MainActor
struct ScannedSignInModelTests {
    private let model = ScannedSignInModel(languages: ["en"])

    /// Reads a code, to the three numbers.
    private func read(_ till: Till, isOnSameNetwork: Bool = true) async throws {
        await model.read(
            try till.world.server.showSignInCode(isOnSameNetwork: isOnSameNetwork), with: till.wallet)
        #expect(model.phase == .choosing)
    }

    @Test("The person sees who asks, picks the number, and approves by face or fingerprint")
    func signsIn() async throws {
        let till = try await Till()
        try await read(till)
        #expect(model.summary?.service == "Shop")
        #expect(model.summary?.browser == "Firefox on Windows")
        #expect(model.summary?.network == "The same as this device")
        #expect(model.summary?.account == nil, "this device has one account")
        #expect(model.numbers == [12, 47, 83])
        #expect(model.isPresented && model.canReject)
        await model.choose(47)
        #expect(model.phase == .verifying)
        #expect(model.question?.kind == .biometrics)
        #expect(model.question?.alternatives.isEmpty == true)
        model.input = "1234"
        await model.useBiometrics()
        #expect(model.phase == .signedIn)
        #expect(model.input.isEmpty)
        #expect(till.statuses == [.signed])
        #expect(till.world.keys.presence.reasons == ["Sign in to Shop"])
        model.cancel()
        #expect(!model.isPresented && model.summary == nil)
    }

    @Test("Another network and an unknown browser are named")
    func stranger() async throws {
        let till = try await Till()
        try await read(till, isOnSameNetwork: false)
        #expect(model.summary?.isOnSameNetwork == false)
        #expect(model.summary?.network.contains("someone else") == true)
        model.cancel()
        await model.read(
            try till.world.server.showSignInCode(browser: nil, system: nil), with: till.wallet)
        #expect(model.summary?.browser == "Unknown")
    }

    @Test("A wrong number ends it, and the screen says so")
    func wrongNumber() async throws {
        let till = try await Till()
        try await read(till)
        await model.choose(99)
        #expect(model.phase == .choosing, "99 is on no button")
        await model.choose(12)
        #expect(model.phase == .failed)
        #expect(model.error?.code == .numberMismatch)
        #expect(model.message?.contains("isn’t the number") == true)
        #expect(!model.canReject, "there is nothing left to stop")
    }

    @Test("An expired code, and a text that is no code, say why")
    func expired() async throws {
        let till = try await Till()
        let code = try till.world.server.showSignInCode()
        till.world.clock.advance(by: .seconds(301))
        await model.read(code, with: till.wallet)
        #expect(model.phase == .failed)
        #expect(model.message == "This code is no longer valid. Scan the one that the screen shows now.")
        await model.read("https://shop.example.com/", with: till.wallet)
        #expect(model.error?.code == .invalidQRData)
        try await read(till)
        #expect(model.error == nil)
    }

    @Test("“This wasn’t me” reaches the server before the approval and after it")
    func rejects() async throws {
        let till = try await Till()
        try await read(till)
        await model.reject()
        #expect(model.phase == .rejected)
        #expect(till.statuses == [.rejected])
        try await read(till)
        await model.choose(47)
        await model.useBiometrics()
        #expect(model.phase == .signedIn && model.canReject)
        await model.reject()
        #expect(model.phase == .rejected)
        #expect(till.statuses == [.rejected, .rejected])
        #expect(!model.canReject)
    }

    @Test("If the server is not available, the number can be chosen again")
    func chosenAgain() async throws {
        let till = try await Till()
        try await read(till)
        let id = try #require(till.world.server.transactions.last?.id)
        till.world.server.inject(.unavailable(retryAfter: .seconds(60)), at: Endpoints.scannedSignInChoice.path(id))
        await model.choose(47)
        #expect(model.phase == .choosing && model.fault?.isEmpty == false)
        await model.choose(47)
        #expect(model.phase == .verifying && model.fault == nil)
    }

    @Test("A rejection that does not arrive says so, and is offered again")
    func notStopped() async throws {
        let till = try await Till()
        try await read(till)
        let id = try #require(till.world.server.transactions.last?.id)
        till.world.server.inject(.unavailable(retryAfter: .seconds(60)), at: Endpoints.scannedSignInRefusal.path(id))
        await model.reject()
        #expect(model.phase == .failed && model.isNotStopped && model.canReject)
        #expect(model.message?.contains("couldn’t stop") == true)
        await model.reject()
        #expect(model.phase == .rejected && !model.isNotStopped)
        #expect(till.statuses == [.rejected])
    }

    @Test("A person who does not confirm by face is asked again")
    func declined() async throws {
        let till = try await Till()
        try await read(till)
        await model.choose(47)
        till.world.keys.presence.failure = .refused
        await model.useBiometrics()
        #expect(model.phase == .verifying)
        #expect(model.question?.fault == "That wasn’t confirmed. Try again.")
        till.world.keys.presence.failure = nil
        await model.useBiometrics()
        #expect(model.phase == .signedIn)
    }

    @Test("Cancelling before the approval signs no one in, and a new code can be read")
    func cancelled() async throws {
        let till = try await Till()
        try await read(till)
        model.isPresented = false
        #expect(model.phase == .idle)
        try await read(till)
        await model.choose(47)
        model.cancel()
        #expect(model.phase == .idle)
        await model.useBiometrics()
        #expect(!till.statuses.contains(.signed))
    }

    @Test("An approval on its way when the screen is closed brings it back, to say that the other screen is signed in")
    func closedTooLate() async throws {
        let till = try await Till()
        try await read(till)
        await model.choose(47)
        let id = try #require(till.world.server.transactions.last?.id)
        till.world.server.inject(.delay(.seconds(2)), at: Endpoints.scannedSignInSignature.path(id))
        let approval = Task { [model] in await model.useBiometrics() }
        await observed { model.phase == .working }
        model.cancel()
        #expect(!model.isPresented)
        await till.passPauses(1)
        await approval.value
        #expect(model.phase == .signedIn && model.isPresented && model.canReject)
    }

    @Test("While one sign-in is shown, the camera's next reading changes nothing")
    func oneAtATime() async throws {
        let till = try await Till()
        try await read(till)
        await model.read("WALLET-LOGIN/1/", with: till.wallet)
        #expect(model.phase == .choosing && model.error == nil)
    }

    @Test("A device whose faces have changed, in an app without a PIN, says what to do")
    func noFactorLeft() async throws {
        let till = try await Till()
        try await read(till)
        await model.choose(47)
        till.world.keys.changeBiometrics()
        await model.useBiometrics()
        #expect(model.phase == .failed)
        #expect(model.message?.isEmpty == false)
    }
}
