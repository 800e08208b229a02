import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

/// An answer that was lost is asked for again: no repetition of an assertion, or of a request that brings one, gets another answer
/// than the first, also while the first is being handled.
@Suite("Repeated assertions of a PIN")
struct PINRepeatTests {
    @Test("A sign-in sent twice at the same moment gets a code twice")
    func signInAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        // The first one has read the open challenge when the other ends it.
        server.beforeNextWrite { _ = try await pin.signIn(by: assertion).code() }
        _ = try await pin.signIn(by: assertion).code()
    }

    @Test(
        "A PIN that is set or changed by two equal requests at the same moment is set; both succeed, and the holder is notified once"
    )
    func settingAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let change = try await pin.changing(from: "271828", to: "314159")
        server.beforeNextWrite {
            let meanwhile = try await pin.put(change).get()
            #expect(meanwhile.epoch.number == 2)
        }
        #expect(try await pin.put(change).get().epoch.number == 2)
        let setting = try await pin.setting("161803")
        server.beforeNextWrite {
            let meanwhile = try await pin.put(setting).get()
            #expect(meanwhile.epoch.number == 3)
        }
        #expect(try await pin.put(setting).get().epoch.number == 3)
        let told = try await server.messages().filter { $0.kind == "pin_set" }
        #expect(told.count == 3)
    }

    @Test(
        "A biometric key that two equal requests set at the same moment is set; both succeed, and the holder is notified once"
    )
    func biometricKeyAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let key = TestKey().publicKey
        let request = BiometricKeyRequest(
            publicKey: key, assertion: try await pin.assertion(of: .biometric(.key(key.thumbprint)), "271828"))
        @Sendable func put() async throws {
            try await server.flows.signIn.biometrics.set(
                request, on: pin.id, call: pin.device.call(.put, Endpoints.deviceBiometricKey.path(pin.id))
            ).get()
        }
        server.beforeNextWrite { try await put() }
        try await put()
        let told = try await server.messages().filter { $0.kind == "biometric_key_added" }
        #expect(told.count == 1)
    }

    @Test("A PIN that was set while the sign-in was fresh is set for the request that comes again later")
    func settingLater() async throws {
        let server = try await TestServer.start { $0.devices.enrollmentFreshness = .minutes(1) }
        let pin = try await TestPIN.set("271828", on: server)
        let setting = try await pin.setting("314159")
        _ = try await pin.put(setting).get()
        server.clock.advance(by: .minutes(1))
        #expect(try await pin.put(setting).get().epoch.number == 2)
        // It is the repetition that needs no fresh sign-in, and nothing else.
        let other = try await pin.put(pin.setting("161803"))
        #expect(other.refusal == .device(.strongerSignIn(maximumAge: 60)))
    }

    @Test(
        "A repeated wrong PIN costs one try and gets the same tries left, the fifth the same lock; one message goes out"
    )
    func wrongAgain() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        for left in [4, 3, 2, 1] {
            let assertion = try await pin.signInAssertion("000001")
            for _ in 0..<2 { #expect(try await pin.signIn(by: assertion).remainingAttempts == left) }
        }
        let last = try await pin.signInAssertion("000001")
        for _ in 0..<2 { #expect(try await pin.signIn(by: last).errorCode == "pin_locked") }
        let told = try await server.messages().filter { $0.kind == "pin_locked" }
        #expect(told.count == 1)
    }

    @Test(
        "A wrong PIN sent twice at the same moment costs one try and gets the same tries left twice, the fifth the same lock"
    )
    func wrongAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        for left in [4, 3, 2, 1] {
            let assertion = try await pin.signInAssertion("000001")
            server.beforeNextWrite {
                let meanwhile = try await pin.signIn(by: assertion)
                #expect(meanwhile.remainingAttempts == left)
            }
            #expect(try await pin.signIn(by: assertion).remainingAttempts == left)
        }
        let last = try await pin.signInAssertion("000001")
        server.beforeNextWrite {
            let meanwhile = try await pin.signIn(by: last)
            #expect(meanwhile.errorCode == "pin_locked")
        }
        #expect(try await pin.signIn(by: last).errorCode == "pin_locked")
        let told = try await server.messages().filter { $0.kind == "pin_locked" }
        #expect(told.count == 1)
    }

    @Test("A new PIN that its key did not sign is refused twice in the same way, and nothing is locked")
    func unsignedSetting() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let exchange = try pin.exchange("314159")
        let answer = try await pin.evaluate(
            PINEvaluationRequest(deviceID: pin.id, ask: .enroll(new: exchange.blinded))
        ).get()
        let new = try #require(answer.new)
        let key = try exchange.key(new).key.publicKey
        let assertion = try await pin.assertion(
            .enroll(.key(key.thumbprint)), answer, epoch: new.epoch, by: [TestKey().signer])
        let request = PINSettingRequest(publicKey: key, assertion: assertion)
        for _ in 0..<2 {
            let refused = try await pin.put(request)
            #expect(refused.refusal == .invalidCredentials)
        }
        _ = try await pin.signIn("271828").code()
    }

    @Test(
        "An assertion that was refused as late stays late, though an equal one came in time and is still being checked"
    )
    func lateMeanwhile() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        server.beforeNextWrite {
            server.clock.advance(by: PINLimits.challengeLifetime)
            let meanwhile = try await pin.signIn(by: assertion)
            #expect(meanwhile.errorCode == "invalid_credentials")
        }
        #expect(try await pin.signIn(by: assertion).errorCode == "invalid_credentials")
    }

    @Test("An assertion whose write is undone leaves its challenge open, and is right once it is carried out")
    func notCarriedOut() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertions = server.flows.signIn.assertions
        let assertion = try await PresentedAssertion(pin.signInAssertion("271828"))
        let presented = DeviceAssertions.Presented(
            assertion, act: pin.login, origin: TestServer.origin, now: server.clock.now())
        for _ in 1...2 {
            let asserted = try await assertions.verify(presented)
            await #expect(throws: NotCarriedOut.self) {
                try await server.context.database.write { connection in
                    guard case .first(.success) = try asserted.save(on: connection) else { return }
                    throw NotCarriedOut()
                }
            }
        }
        let asserted = try await assertions.verify(presented)
        let outcome = try await server.context.database.write { try asserted.save(on: $0) }
        guard case .first(.success) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        guard case .settled(.repeated(.success)) = try await assertions.verify(presented) else {
            Issue.record("not recognized as repeated")
            return
        }
    }

    private struct NotCarriedOut: Error {}

    @Test(
        "A repetition is known after the key of its digest was rotated; what is kept is not the digest of the payload alone"
    )
    func keyedDigests() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let setting = try await pin.setting("314159")
        _ = try await pin.put(setting).get()
        let assertion = try PresentedAssertion(setting.assertion)
        let challenge = try #require(UniqueID(uuid: assertion.unverified.challengeID.rawValue))
        let row = try await server.context.database.read { try PINChallenges.find(challenge, on: $0) }
        let kept = try #require(row?.use?.payloadDigest)
        #expect(kept != assertion.payloadDigest)
        #expect(
            PINVault(server.context.sealing).digests(
                of: assertion, answering: challenge, now: server.clock.now()
            ).contains(kept))
        try await server.administer(["keys", "rotate", "attempts"])
        #expect(try await pin.put(setting).get().epoch.number == 2)
    }

    @Test(
        "attack: a stolen database confirms no PIN by the digests of what was signed",
        .threat("Guessing or stealing a device PIN"), arguments: ["set", "change"])
    func stolenDatabase(how: String) async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set("271828", on: server)
        let request = try await how == "set" ? pin.setting("314159") : pin.changing(from: "271828", to: "314159")
        _ = try await pin.put(request).get()
        // The thief makes the payload of each guess, which is known but for the thumbprint of its key, and the right one with it.
        let payload = try PresentedAssertion(request.assertion).payloadDigest
        let tables = try await server.context.database.read { connection in
            try ["pin_challenges", "pins", "pin_charges", "seen_jtis"].flatMap {
                try connection.query("SELECT * FROM \($0)", []).flatMap(\.values)
            }
        }
        #expect(!tables.contains(.blob(payload)))
    }

    @Test("attack: a stolen database confirms no guess of the payment that a PIN was asked for")
    func stolenPayment() async throws {
        let setting = try await TestPINShop.open()
        let shop = setting.shop
        let event = try await shop.required(TestShop.transfer())
        let challenge = try await shop.challenge(.devicePIN, of: event).get()
        let attempt = try await shop.attempt(setting.assertion("271828", over: challenge), .devicePIN, at: event).get()
        #expect(attempt.status == .verified)
        // The thief makes the hash of each amount and payee, since the database has everything else that is in it.
        let right = PayloadHash.operation(challenge.payload).rawValue
        let values = try await shop.server.context.database.read { connection in
            try ["pin_challenges", "pins", "pin_charges", "wallet_operations", "sca_steps", "sca_attempts"].flatMap {
                try connection.query("SELECT * FROM \($0)", []).flatMap(\.values)
            }
        }
        let texts = values.compactMap { value -> String? in if case .text(let text) = value { text } else { nil } }
        #expect(!texts.contains { $0.contains(right) })
        let bytes = try #require(Base64URL.decode(right))
        #expect(!values.contains(.blob(bytes)))
    }

    @Test("A wrong PIN for an operation that comes again, also at the same moment, costs one of the event's tries")
    func consentAgain() async throws {
        let setting = try await TestPINShop.open()
        let (shop, server) = (setting.shop, setting.shop.server)
        let event = try await shop.required(TestShop.transfer())
        let challenge = try await shop.challenge(.devicePIN, of: event).get()
        let wrong = try await setting.assertion("314159", over: challenge)
        // The write before that of the PIN takes the event's try.
        server.beforeNextWrite {
            server.beforeNextWrite {
                let meanwhile = try await shop.attempt(wrong, .devicePIN, at: event).get()
                #expect(meanwhile.reason == .invalidValue)
            }
        }
        let first = try await shop.attempt(wrong, .devicePIN, at: event).get()
        let again = try await shop.attempt(wrong, .devicePIN, at: event).get()
        let told = SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4)
        #expect([first, again] == [told, told])
        #expect(try await setting.pin.record()?.state == .active(.first, failed: 1))
        let right = try await shop.attempt(setting.assertion("271828", over: challenge), .devicePIN, at: event).get()
        #expect(right.status == .verified)
    }

    /// What happens to the PIN in use between a request and its repetition.
    enum End: String, CaseIterable, Sendable {
        case locked, replaced, deleted

        func happen(to pin: TestPIN, epoch: Int64) async throws {
            switch self {
            case .locked:
                for _ in 0..<PINLimits.tries { _ = try await pin.signIn("000001", epoch: epoch) }
            case .replaced: _ = try await pin.setPIN("161803").get()
            case .deleted:
                try await pin.device.app.client.server.flows.signIn.pins.forget(
                    on: pin.id, call: pin.device.call(.delete, Endpoints.devicePIN.path(pin.id))
                ).get()
            }
        }
    }

    @Test("A sign-in that was right is wrong when it comes again after its PIN was locked, replaced or deleted")
    func signInAfterwards() async throws {
        for end in End.allCases {
            let server = try await TestServer.start()
            let pin = try await TestPIN.set(on: server)
            let assertion = try await pin.signInAssertion("271828")
            _ = try await pin.signIn(by: assertion).code()
            try await end.happen(to: pin, epoch: 1)
            let again = try await pin.signIn(by: assertion)
            #expect(again.errorCode == "invalid_credentials", "\(end)")
            #expect(again.remainingAttempts == nil, "\(end)")
        }
    }

    @Test("A request that set a PIN is wrong when it comes again after the PIN was locked, replaced or deleted")
    func settingAfterwards() async throws {
        for end in End.allCases {
            let server = try await TestServer.start()
            let pin = try await TestPIN.set(on: server)
            let setting = try await pin.setting("314159")
            _ = try await pin.put(setting).get()
            try await end.happen(to: pin, epoch: 2)
            let again = try await pin.put(setting)
            #expect(again.refusal == .invalidCredentials, "\(end)")
        }
    }

    @Test("A change by a wrong PIN gets no number of tries when it comes again after another setting was begun")
    func wrongChangeAfterwards() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let change = try await pin.changing(from: "000001", to: "314159")
        for _ in 0..<2 {
            let wrong = try await pin.put(change)
            #expect(wrong.refusal == .wrongPIN(remaining: 4))
        }
        _ = try await pin.setting("161803")
        let again = try await pin.put(change)
        #expect(again.refusal == .invalidCredentials)
    }

    @Test(
        "A wrong PIN at a sign-in gets its own number of tries when it comes again after the PIN was locked or replaced",
        arguments: [End.locked, .replaced])
    func wrongAfterwards(end: End) async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let wrong = try await pin.signInAssertion("000001")
        #expect(try await pin.signIn(by: wrong).remainingAttempts == 4)
        _ = try await pin.signIn("271828").code()
        try await end.happen(to: pin, epoch: 1)
        #expect(try await pin.signIn(by: wrong).remainingAttempts == 4)
    }
}
