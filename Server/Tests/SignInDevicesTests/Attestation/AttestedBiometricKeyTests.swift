import Core
import Crypto
import FlowSupport
import SoftwareAttesters
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite("A biometric key that an attested app vouches for", .covers("attestation of apps and of biometric keys"))
struct AttestedBiometricKeyTests {
    private static let pin = "271828"
    private static let appID = "ABCDE12345.com.example.wallet"
    private static let androidApp = "com.example.wallet=" + String(repeating: "ab", count: 32)

    /// A person's phone with a PIN.
    private final class Phone {
        let server: TestServer
        let pin: TestPIN
        var apple: SoftwareAppAttest
        let android: SoftwareAndroidKeystore

        init(server: TestServer, pin: TestPIN, apple: SoftwareAppAttest, android: SoftwareAndroidKeystore) {
            self.server = server
            self.pin = pin
            self.apple = apple
            self.android = android
        }

        /// Sets a key with what the app attests.
        /// - Parameter attest: makes the statement, of the nonce that it is for.
        func set(
            _ key: TestKey, _ attest: (Phone, Nonce) throws -> AttestationStatement? = { _, _ in nil }
        ) async throws -> PINRefusal? {
            let request = try await request(key, attest)
            return try await send(request)
        }

        func request(
            _ key: TestKey, _ attest: (Phone, Nonce) throws -> AttestationStatement?
        ) async throws -> BiometricKeyRequest {
            let act = DeviceAssertion.Act.biometric(.key(key.thumbprint))
            let exchange = try pin.exchange(AttestedBiometricKeyTests.pin)
            let answer = try await pin.evaluate(pin.use(exchange, act: act)).get()
            let present = try #require(answer.present)
            let pinned = PinnedKey(
                enrollment: pin.id, epoch: present.epoch, publicKey: try await pin.evaluationKey().publicKey)
            let assertion = try await pin.assertion(
                act, answer, epoch: present.epoch, by: [try exchange.key(present, pinned: pinned)])
            return BiometricKeyRequest(
                publicKey: key.publicKey, assertion: assertion, attestation: try attest(self, answer.nonce))
        }

        func send(_ request: BiometricKeyRequest) async throws -> PINRefusal? {
            let outcome = try await server.flows.signIn.biometrics.set(
                request, on: pin.id, call: pin.device.call(.put, Endpoints.deviceBiometricKey.path(pin.id)))
            if case .failure(let refusal) = outcome { return refusal }
            return nil
        }

        func hash(_ nonce: Nonce, _ key: TestKey?) throws -> [UInt8] {
            try AttestationStatement.challenge(for: .biometric, nonce: nonce, thumbprint: key?.thumbprint)
        }

        /// Android's attestation of a key.
        /// - Parameter checks: how the key recognizes its holder.
        func keystore(_ checks: Int?, _ key: TestKey, _ nonce: Nonce) throws -> AttestationStatement {
            var keystore = android
            keystore.holderChecks = checks
            guard case .p256(let x, let y) = key.publicKey.key else { throw MalformedValue(field: "key", reason: "") }
            return try keystore.attestation(
                of: P256.Signing.PublicKey(rawRepresentation: x + y), over: hash(nonce, nil))
        }

        func signIn(by key: TestKey) async throws -> NativeSignInOutcome {
            let challenge = try await server.challenge(
                ChallengeRequest(purpose: .login, deviceID: pin.id), to: pin.device.app.key)
            let assertion = try await DeviceAssertion(
                audience: server.context.settings.issuer, account: pin.account, deviceID: pin.id, factor: .biometric,
                challengeID: challenge.challengeID, nonce: challenge.nonce, act: pin.login,
                issuedAt: NumericDate(clamping: server.clock.now().seconds)
            ).signed(by: pin.device.deviceKey.signer, key.signer)
            return try await pin.signIn(by: assertion)
        }

        /// The same phone after the operator made the sandbox's database that of production.
        func inProduction() async throws -> Phone {
            let production = try await server.restarted { $0.environment = .production }
            let device = TestDevice(
                app: TestApp(client: pin.device.app.client.at(production), key: pin.device.app.key),
                tokens: pin.device.tokens, deviceKey: pin.device.deviceKey)
            return Phone(server: production, pin: try pin.on(device), apple: apple, android: android)
        }

        func device() async throws -> DeviceRecord {
            let id = try #require(UniqueID(uuid: pin.id.rawValue))
            return try #require(try await server.context.database.read { try Devices.find(id, on: $0) })
        }
    }

    /// - Parameter build: the app that enrolls the phone; `nil` for one that attests nothing.
    private func phone(
        _ acceptance: BiometricKeyAcceptance, in environment: ServerSettings.Environment = .production,
        by build: [UInt8]? = SoftwareAppAttest.production
    ) async throws -> Phone {
        let authority = try AttestationAuthority()
        var apple = SoftwareAppAttest(authority, appID: Self.appID)
        let pem = try authority.pem
        let server = try await TestServer.start {
            $0.environment = environment
            $0.devices.biometricKeys = acceptance
            $0.devices.attestation.appleRoots = pem
            $0.devices.attestation.androidRoots = pem
        }
        let account = try await server.account()
        let client = try await server.publicClient {
            $0.attestation = .recorded
            $0.appleAppIDs = [Self.appID]
            $0.androidApps = [Self.androidApp]
        }
        let device = try await TestDevice.signedIn(account, client)
        let challenge = try await device.challenge()
        var request = try await device.enrollment(account, over: challenge)
        if let build {
            apple.model = build
            request.attestation = try apple.attestation(
                over: AttestationStatement.challenge(
                    for: .device, nonce: challenge.nonce, thumbprint: device.deviceKey.thumbprint))
        }
        let pin = try TestPIN(device, account, try await device.enroll(request).get().id)
        _ = try await pin.setPIN(Self.pin).get()
        return Phone(
            server: server, pin: pin, apple: apple,
            android: SoftwareAndroidKeystore(
                authority, package: "com.example.wallet", digest: [UInt8](repeating: 0xAB, count: 32)))
    }

    @Test(
        "attack: an app's word for a biometric key does not become that of the app that enrolled the device",
        .threat("A script or another app in place of the app"))
    func fromBefore() async throws {
        let phone = try await phone(.attestedApp, by: nil)
        for key in [TestKey(), TestKey()] {
            #expect(try await phone.set(key) { try $0.apple.attestation(over: $0.hash($1, key)) } == nil)
            _ = try await phone.signIn(by: key).code()
            let device = try await phone.device()
            #expect(device.biometricKey?.voucher == .app)
            #expect(device.attestation == nil)
        }
    }

    @Test("With attested-app, the app that enrolled the device attests a key, and asserts the next one")
    func attestedApp() async throws {
        let phone = try await phone(.attestedApp)
        let (first, second) = (TestKey(), TestKey())
        #expect(try await phone.set(TestKey()) == .device(.presenceNotAttested))
        #expect(try await phone.set(first) { try $0.apple.attestation(over: $0.hash($1, first)) } == nil)
        _ = try await phone.signIn(by: first).code()
        #expect(try await phone.device().attestation?.app.app == Self.appID)

        #expect(try await phone.set(second) { try $0.apple.assertion(over: $0.hash($1, second)) } == nil)
        _ = try await phone.signIn(by: second).code()
        let device = try await phone.device()
        #expect(device.attestation?.counted?.counter == 1)
        #expect(device.biometricKey?.voucher == .app)
        let shown = String(decoding: try await phone.server.administer(["device", "list", "ada"]).bytes, as: UTF8.self)
        #expect(shown.contains(#""biometricKeyVoucher":"app""#))
    }

    @Test("The same request after a lost answer succeeds again, although its assertion has counted")
    func repeated() async throws {
        let phone = try await phone(.attestedApp)
        let (first, second) = (TestKey(), TestKey())
        #expect(try await phone.set(first) { try $0.apple.attestation(over: $0.hash($1, first)) } == nil)
        let request = try await phone.request(second) { try $0.apple.assertion(over: $0.hash($1, second)) }
        for _ in 0..<2 { #expect(try await phone.send(request) == nil) }
        #expect(try await phone.device().attestation?.counted?.counter == 1)
    }

    @Test(
        "attack: an assertion for another key, with a counter that does not rise, or by a device never attested",
        .threat("A script or another app in place of the app"))
    func replayed() async throws {
        let key = TestKey()
        let stranger = try await phone(.attestedApp, by: nil)
        #expect(
            try await stranger.set(key) { try $0.apple.assertion(over: $0.hash($1, key)) }
                == .device(.attestationInvalid))
        let phone = try await phone(.attestedApp)
        #expect(try await phone.set(key) { try $0.apple.attestation(over: $0.hash($1, key)) } == nil)
        let planted = TestKey()
        #expect(
            try await phone.set(planted) { try $0.apple.assertion(over: $0.hash($1, key)) }
                == .device(.attestationInvalid))
        phone.apple.counter = 4
        #expect(try await phone.set(key) { try $0.apple.assertion(over: $0.hash($1, key)) } == nil)
        for counter: UInt32 in [4, 1] {
            phone.apple.counter = counter
            #expect(
                try await phone.set(planted) { try $0.apple.assertion(over: $0.hash($1, planted)) }
                    == .device(.attestationInvalid))
        }
        let device = try await phone.device()
        #expect(device.attestation?.counted?.counter == 5)
        #expect(try await phone.signIn(by: planted).errorCode == "invalid_credentials")
        _ = try await phone.signIn(by: key).code()
        // A refused attestation costs no try of the PIN.
        #expect(try await phone.pin.record()?.state == .active(.first, failed: 0))
    }

    @Test("Of two requests with one counter at once, one sets its key")
    func concurrent() async throws {
        let phone = try await phone(.attestedApp)
        let (first, second) = (TestKey(), TestKey())
        #expect(try await phone.set(first) { try $0.apple.attestation(over: $0.hash($1, first)) } == nil)
        let id = try #require(UniqueID(uuid: phone.pin.id.rawValue))
        let counted = try #require(try await phone.device().attestation?.counted)
        let account = try await phone.device().accountID
        let request = try await phone.request(second) { try $0.apple.assertion(over: $0.hash($1, second)) }
        phone.server.beforeNextWrite { [server = phone.server] in
            _ = try await server.context.database.write {
                try Devices.raiseAttestationCounter(of: id, of: account, from: counted, to: 1, on: $0)
            }
        }
        #expect(try await phone.send(request) == .device(.attestationInvalid))
        _ = try await phone.signIn(by: first).code()
    }

    @Test("With hardware, Apple's attestation of the app does not suffice")
    func hardware() async throws {
        let phone = try await phone(.hardware)
        let key = TestKey()
        #expect(
            try await phone.set(key) { try $0.apple.attestation(over: $0.hash($1, key)) }
                == .device(.presenceNotAttested))
    }

    @Test(
        "A key that Android attests counts if it recognizes its holder each time, and not by the word of its app otherwise",
        arguments: [BiometricKeyAcceptance.attestedApp, .hardware])
    func android(acceptance: BiometricKeyAcceptance) async throws {
        let phone = try await phone(acceptance)
        let key = TestKey()
        // None, a passcode, and a passcode in place of the face.
        for checks in [nil, 1, 3] as [Int?] {
            #expect(
                try await phone.set(key) { try $0.keystore(checks, key, $1) } == .device(.presenceNotAttested),
                "\(String(describing: checks))")
            #expect(try await phone.device().biometricKey == nil)
        }
        #expect(try await phone.set(key) { try $0.keystore(2, key, $1) } == nil)
        _ = try await phone.signIn(by: key).code()
        let biometric = try await phone.device().biometricKey
        #expect(biometric?.voucher == .key && biometric?.storage == .hardware)
    }

    @Test(
        "attack: in production, what a development build attested in the sandbox neither counts nor vouches for a key",
        .threat("A script or another app in place of the app"))
    func development() async throws {
        let sandbox = try await phone(.attestedApp, in: .sandbox, by: SoftwareAppAttest.development)
        let (first, second) = (TestKey(), TestKey())
        #expect(try await sandbox.set(first) { try $0.apple.attestation(over: $0.hash($1, first)) } == nil)
        _ = try await sandbox.signIn(by: first).code()
        let production = try await sandbox.inProduction()
        #expect(try await production.signIn(by: first).errorCode == "invalid_credentials")
        #expect(
            try await production.set(second) { try $0.apple.assertion(over: $0.hash($1, second)) }
                == .device(.attestationInvalid))
    }

    @Test(
        "attack: a key that a development build asserted in the sandbox does not count in production",
        .threat("A script or another app in place of the app"))
    func developmentAssertion() async throws {
        let sandbox = try await phone(.attestedApp, in: .sandbox, by: SoftwareAppAttest.development)
        let (first, second) = (TestKey(), TestKey())
        #expect(try await sandbox.set(first) { try $0.apple.attestation(over: $0.hash($1, first)) } == nil)
        #expect(try await sandbox.set(second) { try $0.apple.assertion(over: $0.hash($1, second)) } == nil)
        _ = try await sandbox.signIn(by: second).code()
        #expect(try await sandbox.inProduction().signIn(by: second).errorCode == "invalid_credentials")
    }

    @Test("A stricter setting holds for keys that are there already")
    func stricter() async throws {
        let phone = try await phone(.attestedApp)
        let key = TestKey()
        #expect(try await phone.set(key) { try $0.apple.attestation(over: $0.hash($1, key)) } == nil)
        for acceptance in [BiometricKeyAcceptance.hardware, .never] {
            let rule = BiometricKeyRule(environment: .production, acceptance: acceptance)
            #expect(try await phone.device().biometricKey?.counts(under: rule) == false)
        }
    }
}
