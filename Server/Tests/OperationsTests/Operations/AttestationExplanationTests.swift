import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

/// What support reads when the app of a person could not prove that it is genuine.
@Suite("Attestation in the way of a person", .covers("why a person cannot sign in"))
struct AttestationExplanationTests {
    private static let malformed = AttestationStatement(.appleAttestation, object: [0])
    private static let appID = "ABCDE12345.com.example.wallet"

    private func explain(_ server: TestServer, _ words: [String] = ["ada"]) async throws -> JSONObject {
        try await server.administer(AdminRequest(["account", "explain"] + words))
    }

    private func codes(_ explained: JSONObject) -> [String] { hindrances(explained).compactMap { $0["code"]?.string } }

    private func hindrances(_ explained: JSONObject) -> [JSONObject] {
        explained["hindrances"]?.array?.compactMap(\.object) ?? []
    }

    private func refusals(_ explained: JSONObject) -> [JSONObject] {
        explained["refusals"]?.array?.compactMap(\.object) ?? []
    }

    /// Ada, signed in with an app whose client requires an attestation.
    private func scene() async throws -> (server: TestServer, account: AccountID, device: TestDevice) {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient {
            $0.attestation = .required
            $0.appleAppIDs = [Self.appID]
        }
        return (server, account, try await TestDevice.signedIn(account, client))
    }

    private func enroll(
        _ account: AccountID, on device: TestDevice, _ statement: AttestationStatement? = nil
    ) async throws -> DeviceRefusal? {
        var request = try await device.enrollment(account, over: device.challenge())
        request.attestation = statement
        return try await device.enroll(request).refusal
    }

    @Test("An app without an attestation: the verdict says what it keeps the person from, since when, and why")
    func missing() async throws {
        let (server, account, device) = try await scene()
        #expect(try await enroll(account, on: device) == .attestationRequired)
        let explained = try await explain(server)
        let time = server.clock.now().text
        #expect(
            explained["verdict"]?.string == """
                ada can sign in, but cannot enroll a device with the app of client app: at \(time) the app sent no \
                attestation, which its client requires.
                """)
        #expect(explained["canSignIn"] == "limited")
        #expect(codes(explained) == ["attestation_missing"])
        #expect(hindrances(explained).first?["clientId"]?.string == "app")
        #expect(refusals(explained).first?["method"]?.string == "attestation")
        let request = try await explain(server, ["--request", TestServer.origin.traceID])
        #expect(
            request["request"]?.object?["reason"]?.string == "the app sent no attestation, which its client requires")
    }

    @Test("It is out of the way once a device is enrolled, or while the client only records attestations")
    func resolved() async throws {
        let (server, account, device) = try await scene()
        #expect(try await enroll(account, on: device, Self.malformed) == .attestationInvalid)
        #expect(try await codes(explain(server)) == ["attestation_invalid"])

        try await server.administer(["client", "update", "app", "--attest", "recorded"])
        let recorded = try await explain(server)
        #expect(codes(recorded).isEmpty && refusals(recorded).isEmpty)
        try await server.administer(["client", "update", "app", "--attest", "required"])
        #expect(try await codes(explain(server)) == ["attestation_invalid"])

        try await server.administer(["client", "update", "app", "--attest", "recorded"])
        #expect(try await enroll(account, on: device) == nil)
        try await server.administer(["client", "update", "app", "--attest", "required"])
        let enrolled = try await explain(server)
        #expect(codes(enrolled).isEmpty)
        #expect(refusals(enrolled).count == 1)
    }

    @Test("A refusal of more than thirty days ago is history, and no hindrance")
    func old() async throws {
        let (server, account, device) = try await scene()
        #expect(try await enroll(account, on: device) == .attestationRequired)
        server.clock.advance(by: .hours(24 * 31))
        let explained = try await explain(server)
        #expect(codes(explained).isEmpty)
        #expect(refusals(explained).count == 1)
    }

    @Test("A refused attestation of a biometric key is named with its device, until the key is set")
    func biometricKey() async throws {
        let server = try await TestServer.start()
        let phone = try await TestPIN.set(TestTill.pin, on: server)
        try await server.administer([
            "client", "update", "app", "--attest", "recorded", "--add-apple-app-id", "ABCDE12345.com.example.wallet",
        ])
        let key = TestKey()
        let assertion = try await phone.assertion(of: .biometric(.key(key.thumbprint)), TestTill.pin)
        let outcome = try await server.flows.signIn.biometrics.set(
            BiometricKeyRequest(publicKey: key.publicKey, assertion: assertion, attestation: Self.malformed),
            on: phone.id, call: phone.device.call(.put, Endpoints.deviceBiometricKey.path(phone.id)))
        guard case .failure(.device(.attestationInvalid)) = outcome else {
            Issue.record("the key was not refused: \(outcome)")
            return
        }
        let explained = try await explain(server)
        #expect(codes(explained) == ["attestation_invalid"])
        let effect = "ada can sign in, but cannot turn on face or fingerprint on device \(phone.id.rawValue): at "
        #expect(explained["verdict"]?.string?.hasPrefix(effect) == true, "\(explained)")
        try await server.setBiometricKey(key, of: phone)
        #expect(try await codes(explain(server)).isEmpty)
    }

    @Test("Each reason has words of its own")
    func words() {
        let words = AttestationFault.allCases.map(\.inWords)
        #expect(Set(words).count == words.count)
    }
}
