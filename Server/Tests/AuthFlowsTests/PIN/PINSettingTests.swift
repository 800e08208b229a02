import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@testable import AuthFlows
@testable import WalletAuthPIN

@Suite("Setting and changing a PIN")
struct PINSettingTests {
    @Test(
        "A forgotten PIN is set anew after a fresh sign-in with two factors, in a new epoch; the old one opens nothing")
    func forgotten() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        for _ in 0..<5 { _ = try await pin.signIn("000001") }
        let set = try await pin.setPIN("314159").get()
        #expect(set.epoch.number == 2)
        _ = try await pin.signIn("314159", epoch: 2).code()
        let old = try await pin.evaluate(pin.use(pin.exchange("271828"), epoch: 1))
        #expect(old.refusal == .refused(.epochMismatch))
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
        #expect(refused.refusal == .refused(.invalidCredentials))
        // A third PIN is in use: the second's body has no result left.
        _ = try await pin.setPIN("161803").get()
        let late = try await pin.put(request)
        #expect(late.refusal == .refused(.invalidCredentials))
    }

    @Test("Changing with a wrong old PIN costs a try and changes nothing")
    func wrongOld() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let outcome = try await pin.put(pin.changing(from: "000001", to: "314159"))
        #expect(outcome.refusal == .wrongPIN(remaining: 4))
        _ = try await pin.signIn("271828").code()
    }

    @Test("attack: the device's own key is no PIN key: one key would be two factors")
    func sameKey() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let answer = try await pin.evaluate(
            PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: pin.exchange("314159").blinded))
        ).get()
        let key = pin.device.deviceKey
        let assertion = try await pin.assertion(
            .enroll(.key(key.thumbprint)), answer, epoch: try #require(answer.new).epoch, by: [key.signer])
        let outcome = try await server.flows.pins.set(
            PINSettingRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: pin.device.call(.put, Endpoints.devicePIN.path(pin.id)))
        #expect(outcome.refusal == .refused(.invalidCredentials))
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
        let outcome = try await server.flows.pins.set(
            PINSettingRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: other.call(.put, Endpoints.devicePIN.path(pin.id)))
        #expect(outcome.refusal == .device(.notFound))
    }
}
