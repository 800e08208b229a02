import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

/// Tries run out by wrong PINs, and as well by evaluations that are never answered. The device's key is enough for that, so
/// that the holder has to learn of it.
@Suite("The tries of a PIN that run out")
struct PINTriesTests {
    /// What the audit log and the mailbox say of a PIN's end.
    private func told(_ pin: TestPIN) async throws -> (events: [String], messages: Int) {
        let server = pin.device.app.client.server
        let id = try #require(UniqueID(bytes: pin.account.bytes))
        let events = try await server.context.database.read { try SecurityEvents.list(of: id, limit: 100, on: $0) }
            .map(\.kind)
            .filter { ["pin.locked", "pin.exhausted"].contains($0) }
        return (events, try await server.messages().filter { $0.kind == "pin_locked" }.count)
    }

    /// Uses up tries by evaluations that are never answered.
    private func evaluate(_ count: Int, _ pin: TestPIN) async throws {
        for _ in 0..<count { _ = try await pin.evaluate(pin.use(pin.exchange("000001"))).get() }
    }

    /// Spends so many tries of the thirty days, never five in a row, with a right PIN after each four.
    private func spend(_ count: Int, _ pin: TestPIN) async throws {
        for number in 1...count {
            try await evaluate(1, pin)
            if number % 4 == 0 || number == count { _ = try await pin.signIn("271828").code() }
        }
    }

    @Test(
        "attack: five unanswered evaluations lock the PIN when the last one has expired, and its holder is notified",
        .threat("Guessing or stealing a device PIN")
    )
    func evaluationsAlone() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await evaluate(5, pin)
        try await server.flows.maintenance.run()
        // The fifth may still be right.
        #expect(try await pin.record()?.state == .active(.first, failed: 5))
        server.clock.advance(by: PINLimits.challengeLifetime)
        for _ in 0..<2 { try await server.flows.maintenance.run() }
        #expect(try await pin.record()?.state == .locked(.first))
        let end = try await told(pin)
        #expect(end.events == ["pin.locked"])
        #expect(end.messages == 1)
    }

    @Test("A fifth evaluation that is answered rightly in time locks nothing")
    func fifthIsRight() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await evaluate(4, pin)
        _ = try await pin.signIn("271828").code()
        server.clock.advance(by: PINLimits.challengeLifetime)
        try await server.flows.maintenance.run()
        #expect(try await pin.record()?.state == .active(.first, failed: 0))
        #expect(try await told(pin).messages == 0)
    }

    @Test("attack: a fifth evaluation that gives way to one that sets a PIN locks at once, and its holder is notified")
    func givesWay() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await evaluate(5, pin)
        let setting = try await pin.setting("314159")
        let end = try await told(pin)
        #expect(end.events == ["pin.locked"])
        #expect(end.messages == 1)
        // The holder sets another, all the same.
        #expect(try await pin.put(setting).get().epoch.number == 2)
    }

    @Test("An assertion that comes too late for the fifth evaluation locks the PIN, and its holder is notified")
    func fifthIsLate() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await evaluate(4, pin)
        let assertion = try await pin.signInAssertion("271828")
        server.clock.advance(by: PINLimits.challengeLifetime)
        #expect(try await pin.signIn(by: assertion).errorCode == "invalid_credentials")
        #expect(try await pin.record()?.state == .locked(.first))
        #expect(try await told(pin).messages == 1)
    }

    @Test(
        "attack: the thirtieth unanswered evaluation in thirty days notifies the holder, once, by mail, and is recorded"
    )
    func thirty() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await spend(29, pin)
        try await evaluate(1, pin)
        server.clock.advance(by: PINLimits.challengeLifetime)
        for _ in 0..<2 { try await server.flows.maintenance.run() }
        _ = try await pin.evaluate(pin.use(pin.exchange("271828")))
        let end = try await told(pin)
        #expect(end.events == ["pin.exhausted"])
        #expect(end.messages == 1)
        #expect(try await pin.record()?.state == .active(.first, failed: 1))
    }

    @Test(
        "The thirtieth wrong PIN in thirty days gets the answer that no try is left, and the holder is notified at once"
    )
    func thirtiethWrong() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await spend(29, pin)
        #expect(try await pin.signIn("000001").remainingAttempts == 0)
        let end = try await told(pin)
        #expect(end.events == ["pin.exhausted"])
        #expect(end.messages == 1)
    }

    @Test("A thirtieth that is the fifth in a row as well ends in both records and one message")
    func bothAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await spend(25, pin)
        for _ in 0..<5 { _ = try await pin.signIn("000001") }
        let end = try await told(pin)
        #expect(Set(end.events) == ["pin.locked", "pin.exhausted"])
        #expect(end.messages == 1)
        // Another PIN would help against the lock alone, so that this is what is reported.
        let refused = try await pin.evaluate(pin.use(pin.exchange("271828")))
        #expect(refused.refusal == .exhausted(retryAfter: 2_592_000))
    }

    @Test(
        "After thirty tries no PIN is set either, until the first of them is thirty days old; a new enrollment sets one at once"
    )
    func setting() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await spend(29, pin)
        server.clock.advance(by: .seconds(1))
        _ = try await pin.signIn("000001")
        let request = PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: try pin.exchange("314159").blinded))
        let refused = try await pin.evaluate(request)
        #expect(refused.refusal == .exhausted(retryAfter: 2_591_999))
        let device = try await TestDevice.signedIn(pin.account, pin.device.app.client)
        let enrolled = try TestPIN(device, pin.account, try await device.enrolled(pin.account).id)
        _ = try await enrolled.setPIN("314159").get()
        _ = try await enrolled.signIn("314159").code()
        server.clock.advance(by: .days(30))
        _ = try await pin.evaluate(request).get()
    }

    @Test(
        "attack: a flood by a thief of the device's key delays setting a PIN until a minute after it ends, and fills no disk"
    )
    func floodOfSettings() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        server.clock.advance(by: .minutes(1))
        let request = PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: try pin.exchange("314159").blinded))
        for _ in 0..<PINLimits.settingsPerMinute { _ = try await pin.evaluate(request).get() }
        let refused = try await pin.evaluate(request)
        #expect(refused.refusal == .device(.tooManyAttempts(retryAfter: 60)))
        // The PIN in use is evaluated all the time.
        _ = try await pin.signIn("271828").code()
        server.clock.advance(by: .seconds(60))
        _ = try await pin.setPIN("314159").get()
        server.clock.advance(by: PINLimits.settingMemory)
        try await server.flows.maintenance.run()
        let rows = try await server.context.database.read {
            try $0.row("SELECT COUNT(*) AS number FROM pin_challenges WHERE epoch IS NULL", [])?.integer("number")
        }
        #expect(rows == 0)
    }

    @Test("The list of devices has a PIN whose thirty tries are spent, and has none once it is locked")
    func listed() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await spend(29, pin)
        #expect(try await pin.signIn("000001").remainingAttempts == 0)
        #expect(try await pin.device.list().map(\.hasPIN) == [true])
        let other = try await TestPIN.set(on: try await TestServer.start())
        for _ in 0..<PINLimits.tries { _ = try await other.signIn("000001") }
        #expect(try await other.device.list().map(\.hasPIN) == [false])
    }
}
