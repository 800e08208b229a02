import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite("Forgetting a PIN at the server", .covers("/v1/pin/evaluate"))
struct PINForgettingTests {
    private func forget(_ pin: TestPIN, by device: TestDevice? = nil) async throws -> DeviceRefusal? {
        let device = device ?? pin.device
        return try await device.app.client.server.flows.signIn.pins.forget(
            on: pin.id, call: device.call(.delete, Endpoints.devicePIN.path(pin.id))
        ).refusal
    }

    private func events(_ server: TestServer) async throws -> Int {
        try await server.context.database.read {
            try $0.query("SELECT kind FROM security_events WHERE kind = 'pin.forgotten'", []).count
        }
    }

    @Test("By the device's own session: both halves are gone, nothing opens, and it is in the audit log once")
    func own() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let kept = try await pin.signInAssertion("271828")
        #expect(try await forget(pin) == nil)
        let record = try #require(try await pin.record())
        #expect(record.state == .none)
        #expect(record.evaluationKey == nil && record.publicKey == nil && record.pendingEvaluationKey == nil)
        let asked = try await pin.evaluate(pin.use(pin.exchange("271828")))
        #expect(asked.refusal == .notSet)
        // An assertion that was made before opens nothing either.
        let late = try await pin.signIn(by: kept)
        #expect(late.errorCode == "invalid_credentials")
        #expect(try await forget(pin) == nil, "harmless to repeat")
        #expect(try await events(server) == 1)
        let told = try await server.messages().filter { $0.kind == "pin_forgotten" }
        #expect(told.isEmpty, "who forgets it on the device itself knows")
        let shown = try await pin.device.list()
        #expect(shown.map(\.hasPIN) == [false])
    }

    @Test("One that was being set is forgotten as well; the next one begins an epoch that there never was")
    func pending() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let exchange = try pin.exchange("314159")
        let answer = try await pin.evaluate(
            PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: exchange.blinded))
        ).get()
        #expect(try await forget(pin) == nil)
        let new = try #require(answer.new)
        let key = try exchange.key(new).key
        let assertion = try await pin.assertion(
            .enroll(.key(key.publicKey.thumbprint)), answer, epoch: new.epoch, by: [key])
        let outcome = try await server.flows.signIn.pins.set(
            PINSettingRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: pin.device.call(.put, Endpoints.devicePIN.path(pin.id)))
        #expect(outcome.refusal == .invalidCredentials)
        let set = try await pin.setPIN("161803").get()
        #expect(set.epoch.number == 3)
        _ = try await pin.signIn("161803", epoch: 3).code()
    }

    @Test("attack: forgetting gives no try back: the thirty of thirty days stay, and another PIN takes two factors")
    func noTriesBack() async throws {
        let server = try await TestServer.start { $0.devices.enrollmentFreshness = .minutes(1) }
        let pin = try await TestPIN.set(on: server)
        for _ in 0..<3 { _ = try await pin.signIn("000001") }
        #expect(try await forget(pin) == nil)
        let charges = try await server.context.database.read {
            try $0.query("SELECT challenge_id FROM pin_charges", []).count
        }
        #expect(charges == 3)
        server.clock.advance(by: .minutes(1))
        let stale = try await pin.setPIN("161803")
        #expect(stale.refusal == .device(.strongerSignIn(maximumAge: 60)))
        // Without its PIN the device goes on to stand before a stolen password.
        let app = TestApp(client: pin.device.app.client)
        let asked = try await app.signIn()
        #expect(asked.errorCode == "mfa_required")
    }

    @Test("From another device it takes the strongest sign-in, and the holder is notified")
    func fromElsewhere() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let client = pin.device.app.client
        let weak = try await TestDevice.signedIn(pin.account, client, methods: ["pwd"])
        #expect(try await forget(pin, by: weak) == .strongerSignIn(maximumAge: 300))
        #expect(try await pin.record()?.state == .active(.first, failed: 0))
        let stranger = try await TestDevice.signedIn(server.account("eve"), client)
        #expect(try await forget(pin, by: stranger) == .notFound)
        let other = try await TestDevice.signedIn(pin.account, client)
        #expect(try await forget(pin, by: other) == nil)
        let told = try await server.messages().filter { $0.kind == "pin_forgotten" }
        #expect(told.map { $0.content["device"]?.string } == ["Ada's phone"])
        #expect(try await pin.record()?.state == PINState.none)
    }

    @Test("A deletion that comes again deletes a PIN that was set in between as well")
    func repeated() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        #expect(try await forget(pin) == nil)
        _ = try await pin.setPIN("161803").get()
        #expect(try await forget(pin) == nil)
        #expect(try await pin.record()?.state == PINState.none)
    }
}
