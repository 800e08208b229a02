import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite(
    "The key of a device behind its holder's presence", .article("8 inherence"),
    .covers("PUT, DELETE /v1/devices/{id}/biometric-key"))
struct BiometricKeyTests {
    private static let pin = "271828"

    /// Sets a key by the device's PIN.
    private func set(
        _ key: TestKey, on pin: TestPIN, typed: String = pin, signedFor other: TestKey? = nil,
        by device: TestDevice? = nil
    ) async throws -> Result<Void, PINRefusal> {
        let server = pin.device.app.client.server
        let act = DeviceAssertion.Act.biometric(.key((other ?? key).thumbprint))
        let exchange = try pin.exchange(typed)
        let answer = try await pin.evaluate(pin.use(exchange, act: act)).get()
        let present = try #require(answer.present)
        let pinned = PinnedKey(
            enrollment: pin.id, epoch: present.epoch, publicKey: try await pin.evaluationKey().publicKey)
        let assertion = try await pin.assertion(
            act, answer, epoch: present.epoch, by: [try exchange.key(present, pinned: pinned)])
        return try await server.flows.signIn.biometrics.set(
            BiometricKeyRequest(publicKey: key.publicKey, assertion: assertion), on: pin.id,
            call: (device ?? pin.device).call(.put, Endpoints.deviceBiometricKey.path(pin.id)))
    }

    /// A challenge for a sign-in by an app.
    private func challenge(_ pin: TestPIN, for app: TestApp? = nil) async throws -> ChallengeResponse {
        let app = app ?? pin.device.app
        return try await app.client.server.challenge(
            ChallengeRequest(purpose: .login, deviceID: pin.id), to: app.key)
    }

    private func assertion(
        _ pin: TestPIN, by key: TestKey, over challenge: ChallengeResponse, at offset: Int64 = 0
    ) async throws -> SignedAssertion {
        let server = pin.device.app.client.server
        return try await DeviceAssertion(
            audience: server.context.settings.issuer, account: pin.account, deviceID: pin.id, factor: .biometric,
            challengeID: challenge.challengeID, nonce: challenge.nonce, act: pin.login,
            issuedAt: NumericDate(clamping: server.clock.now().seconds + offset)
        ).signed(by: pin.device.deviceKey.signer, key.signer)
    }

    private func signIn(_ pin: TestPIN, by key: TestKey) async throws -> NativeSignInOutcome {
        try await pin.signIn(by: assertion(pin, by: key, over: challenge(pin)))
    }

    @Test("Set by device and PIN, it signs in with two factors, and the holder was notified")
    func signsIn() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        let key = TestKey()
        try await set(key, on: pin).get()
        let tokens = try await pin.device.app.redeem(signIn(pin, by: key).code()).tokens()
        let claims = try #require(
            try await server.context.accessTokens.claims(of: tokens.accessToken, now: server.clock.now()))
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        let told = try await server.messages().filter { $0.kind == "biometric_key_added" }
        #expect(told.map { $0.content["device"]?.string } == ["Ada's phone"])
        let shown = try await pin.device.list()
        #expect(shown.map(\.hasBiometricKey) == [true])
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 0))
    }

    @Test("In production a key without attestation is refused, and one that got in anyway counts for nothing")
    func notAttested() async throws {
        let sandbox = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: sandbox)
        let key = TestKey()
        try await set(key, on: pin).get()
        let production = try await sandbox.restarted { $0.environment = .production }
        let device = TestDevice(
            app: TestApp(
                client: TestClient(server: production, id: pin.device.app.client.id, secret: nil),
                key: pin.device.app.key),
            tokens: pin.device.tokens, deviceKey: pin.device.deviceKey)
        let there = try pin.on(device)
        let refused = try await set(TestKey(), on: there)
        #expect(refused.refusal == .device(.presenceNotAttested))
        let state = try await there.record()?.state
        #expect(state == .active(.first, failed: 0))
        let outcome = try await signIn(there, by: key)
        #expect(outcome.errorCode == "invalid_credentials")
    }

    @Test("A wrong PIN sets nothing and costs a try; nor does one for another key, or another session's call")
    func guarded() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        let wrong = try await set(TestKey(), on: pin, typed: "000001")
        #expect(wrong.refusal == .wrongPIN(remaining: 4))
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 1))
        let planted = try await set(TestKey(), on: pin, signedFor: TestKey())
        #expect(planted.refusal == .invalidCredentials)
        let other = try await TestDevice.signedIn(pin.account, pin.device.app.client)
        let elsewhere = try await set(TestKey(), on: pin, by: other)
        #expect(elsewhere.refusal == .device(.notFound))
        let shown = try await pin.device.list()
        #expect(shown.map(\.hasBiometricKey) == [false])
    }

    @Test(
        "An assertion works once, for the sign-in it was made for; its repetition gets a code, another over its challenge none"
    )
    func replayed() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        let key = TestKey()
        try await set(key, on: pin).get()
        let challenge = try await challenge(pin)
        let text = try await assertion(pin, by: key, over: challenge)
        let thief = TestApp(client: pin.device.app.client)
        let stolen = try await thief.step(.begin(.pin(PINLogin(deviceID: pin.id, assertion: text))))
        #expect(stolen.errorCode == "invalid_credentials")
        _ = try await pin.signIn(by: text).code()
        _ = try await pin.signIn(by: text).code()
        for _ in 0..<2 {
            let second = try await pin.signIn(by: assertion(pin, by: key, over: challenge, at: 1))
            #expect(second.errorCode == "invalid_credentials")
        }
        let late = try await self.challenge(pin)
        server.clock.advance(by: DeviceChallenges.lifetime)
        let outcome = try await pin.signIn(by: assertion(pin, by: key, over: late))
        #expect(outcome.errorCode == "invalid_credentials")
    }

    @Test(
        "attack: its assertion opens one session, as old as its challenge, and none after the password was reset",
        .threat("Guessing or stealing a device PIN"))
    func oneSession() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let key = TestKey()
        _ = try await set(key, on: pin).get()
        let made = server.clock.now()
        let copied = try await self.assertion(pin, by: key, over: challenge(pin))
        server.clock.advance(by: .seconds(30))
        let tokens = try await pin.device.app.redeem(pin.signIn(by: copied).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.authenticatedAt == NumericDate(clamping: made.seconds))
        let second = try await pin.device.app.redeem(pin.signIn(by: copied).code())
        #expect(second.refusal == .invalidGrant)
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        let again = try await pin.signIn(by: copied)
        #expect(again.errorCode == "invalid_credentials")
    }

    @Test("Another key, the device's own twice, and a challenge of another app open nothing")
    func forged() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        let key = TestKey()
        let none = try await signIn(pin, by: key)
        #expect(none.errorCode == "invalid_credentials")
        try await set(key, on: pin).get()
        for other in [TestKey(), pin.device.deviceKey] {
            let outcome = try await signIn(pin, by: other)
            #expect(outcome.errorCode == "invalid_credentials")
        }
        let thief = TestApp(client: pin.device.app.client)
        let bound = try await pin.signIn(by: assertion(pin, by: key, over: challenge(pin, for: thief)))
        #expect(bound.errorCode == "invalid_credentials")
    }

    @Test("Removed by its holder or with its device it opens nothing; a suspended device learns that it is suspended")
    func removed() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        let key = TestKey()
        try await set(key, on: pin).get()
        try await server.administer(["device", "suspend", pin.id.rawValue])
        let suspended = try await signIn(pin, by: key)
        #expect(suspended.errorCode == "device_suspended")
        try await server.administer(["device", "resume", pin.id.rawValue])
        let device = TestDevice(
            app: pin.device.app, tokens: try await pin.device.app.redeem(signIn(pin, by: key).code()).tokens(),
            deviceKey: pin.device.deviceKey)
        for _ in 0..<2 {
            try await server.flows.signIn.biometrics.remove(
                from: pin.id, call: device.call(.delete, Endpoints.deviceBiometricKey.path(pin.id))
            ).get()
        }
        let gone = try await signIn(pin, by: key)
        #expect(gone.errorCode == "invalid_credentials")
        let told = try await server.messages().filter { $0.kind == "biometric_key_removed" }
        #expect(told.isEmpty, "on one's own device it is one's own doing")
        try await server.administer(["device", "remove", pin.id.rawValue])
        let unique = try #require(UniqueID(uuid: pin.id.rawValue))
        let row = try await server.context.database.read { try Devices.find(unique, on: $0) }
        #expect(row?.biometricKey == nil)
    }

    @Test(
        "attack: a stolen password removes no key from the holder's device; two factors do, and the holder is notified",
        .threat("A stolen password"))
    func removedFromAfar() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(Self.pin, on: server)
        try await set(TestKey(), on: pin).get()
        let client = pin.device.app.client
        let path = Endpoints.deviceBiometricKey.path(pin.id)
        let thief = try await TestDevice.signedIn(pin.account, client, methods: ["pwd"])
        let refused = try await server.flows.signIn.biometrics.remove(from: pin.id, call: thief.call(.delete, path))
        #expect(refused.refusal == .strongerSignIn(maximumAge: 300))
        let kept = try await pin.device.list()
        #expect(kept.map(\.hasBiometricKey) == [true])
        let holder = try await TestDevice.signedIn(pin.account, client)
        for _ in 0..<2 {
            try await server.flows.signIn.biometrics.remove(from: pin.id, call: holder.call(.delete, path)).get()
        }
        let told = try await server.messages().filter { $0.kind == "biometric_key_removed" }
        #expect(told.map { $0.content["device"]?.string } == ["Ada's phone"])
    }
}
