import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite("Setting and changing a PIN")
struct PINSettingTests {
    @Test(
        "A forgotten PIN is replaced after a fresh sign-in with two factors, in a new epoch; the old one opens nothing")
    func forgotten() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        for _ in 0..<5 { _ = try await pin.signIn("000001") }
        let set = try await pin.setPIN("314159").get()
        #expect(set.epoch.number == 2)
        _ = try await pin.signIn("314159", epoch: 2).code()
        let old = try await pin.evaluate(pin.use(pin.exchange("271828"), epoch: 1))
        #expect(old.refusal == .epochMismatch)
    }

    @Test("A stolen session that is minutes old sets no PIN")
    func stale() async throws {
        let server = try await TestServer.start { $0.devices.enrollmentFreshness = .minutes(1) }
        let pin = try await TestPIN.set("271828", on: server)
        server.clock.advance(by: .minutes(1))
        let outcome = try await pin.setPIN("314159")
        #expect(outcome.refusal == .device(.strongerSignIn(maximumAge: 60)))
        _ = try await pin.signIn("271828").code()
    }

    @Test("Changing a PIN takes the old one: signed by device, old and new key, it moves to the next epoch")
    func changed() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let outcome = try await pin.put(pin.changing(from: "271828", to: "314159"))
        #expect(try outcome.get().epoch.number == 2)
        _ = try await pin.signIn("314159", epoch: 2).code()
        let told = try await server.messages().filter { $0.kind == "pin_set" }
        #expect(told.count == 2)
    }

    @Test(
        "The same change again, its answer lost, gets the stored result; by other keys, or another key, it gets nothing"
    )
    func repeatedChange() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let request = try await pin.changing(from: "271828", to: "314159")
        let first = try await pin.put(request)
        #expect(try first.get().epoch.number == 2)
        let again = try await pin.put(request)
        #expect(try again.get().epoch.number == 2)
        let told = try await server.messages().filter { $0.kind == "pin_set" }
        #expect(told.count == 2)
        let state = try await pin.record()?.state
        #expect(state == .active(try #require(PINEpoch(exactly: 2)), failed: 0))
        // A thief who saw the body and holds another key.
        let planted = PINSettingRequest(publicKey: TestKey().publicKey, assertion: request.assertion)
        let refused = try await pin.put(planted)
        #expect(refused.refusal == .invalidCredentials)
        // A third PIN is in use: the second's body has no result left.
        _ = try await pin.setPIN("161803").get()
        let late = try await pin.put(request)
        #expect(late.refusal == .invalidCredentials)
    }

    @Test("Changing with a wrong old PIN costs a try and changes nothing")
    func wrongOld() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let outcome = try await pin.put(pin.changing(from: "000001", to: "314159"))
        #expect(outcome.refusal == .wrongPIN(remaining: 4))
        _ = try await pin.signIn("271828").code()
    }

    @Test(
        "attack: the device's own key cannot be the PIN key: one key would be two factors",
        .threat("A device enrolled by a thief"))
    func sameKey() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let answer = try await pin.evaluate(
            PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: pin.exchange("314159").blinded))
        ).get()
        let key = pin.device.deviceKey
        let assertion = try await pin.assertion(
            .enroll(.key(key.thumbprint)), answer, epoch: try #require(answer.new).epoch, by: [key.signer])
        let outcome = try await server.flows.signIn.pins.set(
            PINSettingRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: pin.device.call(.put, Endpoints.devicePIN.path(pin.id)))
        #expect(outcome.refusal == .invalidCredentials)
        _ = try await pin.signIn("271828").code()
    }

    @Test("Another session than the device's own sets no PIN on it")
    func otherSession() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let other = try await TestDevice.signedIn(pin.account, pin.device.app.client)
        let exchange = try pin.exchange("314159")
        let answer = try await pin.evaluate(
            PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: exchange.blinded))
        ).get()
        let new = try #require(answer.new)
        let key = try exchange.key(new).key
        let assertion = try await pin.assertion(
            .enroll(.key(key.publicKey.thumbprint)), answer, epoch: new.epoch, by: [key])
        let outcome = try await server.flows.signIn.pins.set(
            PINSettingRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: other.call(.put, Endpoints.devicePIN.path(pin.id)))
        #expect(outcome.refusal == .device(.notFound))
    }

    /// The device with the session of another sign-in, by password and its proof unless a test says by what.
    private func signedInAgain(_ pin: TestPIN, _ outcome: NativeSignInOutcome? = nil) async throws -> TestPIN {
        let device = pin.device
        let code: AuthorizationCode
        if let outcome { code = try outcome.code() } else { code = try await device.signIn(as: pin.id).code() }
        let tokens = try await device.app.redeem(code).tokens()
        return try pin.on(TestDevice(app: device.app, tokens: tokens, deviceKey: device.deviceKey))
    }

    @Test(
        "A PIN that an old sign-in may not set costs nothing: after a password on the device the same request sets it")
    func refusedAndSentAgain() async throws {
        let server = try await TestServer.start { $0.devices.enrollmentFreshness = .minutes(1) }
        let pin = try await TestPIN.set("271828", on: server)
        server.clock.advance(by: .minutes(1))
        let setting = try await pin.setting("314159")
        for _ in 0..<2 {
            let refused = try await pin.put(setting)
            #expect(refused.refusal == .device(.strongerSignIn(maximumAge: 60)))
        }
        #expect(try await signedInAgain(pin).put(setting).get().epoch.number == 2)
        _ = try await pin.signIn("314159", epoch: 2).code()
    }

    @Test("A sign-in by PIN ends the setting that waits for its request")
    func pinSignInInBetween() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let setting = try await pin.setting("314159")
        let again = try await signedInAgain(pin, pin.signIn("271828"))
        let refused = try await again.put(setting)
        #expect(refused.refusal == .invalidCredentials)
        _ = try await pin.signIn("271828").code()
    }

    @Test("A sign-in whose device proof was wrong is of one factor and sets no PIN, but the old PIN changes it there")
    func wrongDeviceProof() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        // The DPoP key of the enrollment is all that makes it a session of the device.
        let weak = try await signedInAgain(pin, pin.device.signIn(as: pin.id, provedBy: TestKey()))
        let refused = try await weak.put(pin.setting("314159"))
        #expect(refused.refusal == .device(.strongerSignIn(maximumAge: 300)))
        _ = try await weak.put(pin.changing(from: "271828", to: "314159")).get()
    }

    @Test("A change that the new key did not sign counts as a wrong PIN, and costs its try")
    func unsignedChange() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let (present, next) = (try pin.exchange("271828"), try pin.exchange("314159"))
        let answer = try await pin.evaluate(
            PINEvaluationRequest(
                deviceID: pin.id,
                ask: .change(
                    PINEvaluationRequest.PresentPIN(epoch: .first, blinded: present.blinded), new: next.blinded))
        ).get()
        let newShare = try #require(answer.new)
        let pinned = PinnedKey(
            enrollment: pin.id, epoch: .first, publicKey: try await pin.evaluationKey().publicKey)
        let share = try #require(answer.present)
        let oldKey = try present.key(share, pinned: pinned)
        let newKey = try next.key(newShare).key.publicKey
        let assertion = try await pin.assertion(
            .pinChange(.key(newKey.thumbprint)), answer, epoch: newShare.epoch, by: [oldKey, TestKey().signer])
        let outcome = try await pin.put(PINSettingRequest(publicKey: newKey, assertion: assertion))
        #expect(outcome.refusal == .wrongPIN(remaining: 4))
        #expect(try await pin.record()?.state.active == .first)
    }

    @Test(
        "Once the assertion is too old the same request is refused by the renewed session, whether the PIN was set or not",
        arguments: [true, false])
    func tooLate(wasSent: Bool) async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let request = try await pin.setting("314159")
        if wasSent { #expect(try await pin.put(request).get().epoch.number == 2) }
        server.clock.advance(by: .seconds(331))
        await #expect {
            try await pin.put(request)
        } throws: {
            ($0 as? OAuthRefusal)?.code == "invalid_token"
        }
        let late = try await renewed(pin).put(request)
        #expect(late.refusal == .device(.strongerSignIn(maximumAge: 300)))
    }

    @Test(
        "Once the assertion is too old the same change is refused by the renewed session, whether the PIN was changed or not",
        arguments: [true, false])
    func tooLateChange(wasSent: Bool) async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let request = try await pin.changing(from: "271828", to: "314159")
        if wasSent { #expect(try await pin.put(request).get().epoch.number == 2) }
        server.clock.advance(by: .seconds(331))
        let late = try await renewed(pin).put(request)
        #expect(late.refusal == .invalidCredentials)
    }

    /// The device's own session with a new access token.
    private func renewed(_ pin: TestPIN) async throws -> TestPIN {
        let device = pin.device
        let tokens = try await device.app.client.refresh(
            try #require(device.tokens.refreshToken), proof: device.app.key
        ).tokens()
        return try pin.on(TestDevice(app: device.app, tokens: tokens, deviceKey: device.deviceKey))
    }
}
