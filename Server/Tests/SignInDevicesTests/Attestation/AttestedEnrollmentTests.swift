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

@Suite("Enrolling a device of an attested app", .covers("attestation of apps and of biometric keys"))
struct AttestedEnrollmentTests {
    private static let appID = "ABCDE12345.com.example.wallet"
    private static let androidApp = "com.example.wallet=" + String(repeating: "ab", count: 32)

    private struct Phone {
        let server: TestServer
        let account: AccountID
        let device: TestDevice
        let apple: SoftwareAppAttest
        let android: SoftwareAndroidKeystore

        func enroll(
            over challenge: ChallengeResponse, _ statement: AttestationStatement?
        ) async throws -> Result<EnrolledDevice, DeviceRefusal> {
            var request = try await device.enrollment(account, over: challenge)
            request.attestation = statement
            return try await device.enroll(request)
        }

        func hash(_ challenge: ChallengeResponse, of key: TestKey? = nil) throws -> [UInt8] {
            try AttestationStatement.challenge(
                for: .device, nonce: challenge.nonce, thumbprint: (key ?? device.deviceKey).thumbprint)
        }

        func record() async throws -> DeviceRecord {
            let found = try await server.context.database.read { [device] in
                try Devices.find(key: device.deviceKey.thumbprint.bytes, on: $0)
            }
            return try #require(found)
        }

        /// The reasons in the audit log.
        func reasons() async throws -> [String?] {
            let id = try #require(UniqueID(uuid: account.rawValue))
            return try await server.context.database.read {
                try AuditChains.recent(account: id, kind: "device.attestation_refused", limit: 9, on: $0)
            }.map { try JSONValue.object(parsing: Array($0.details.utf8)).string("reason") }
        }
    }

    private func phone(_ policy: AttestationPolicy) async throws -> Phone {
        let authority = try AttestationAuthority()
        let pem = try authority.pem
        let server = try await TestServer.start {
            $0.environment = .production
            $0.devices.attestation.appleRoots = pem
            $0.devices.attestation.androidRoots = pem
        }
        let account = try await server.account { $0.email = "ada@example.com" }
        let client = try await server.publicClient {
            $0.attestation = policy
            $0.appleAppIDs = [Self.appID]
            $0.androidApps = [Self.androidApp]
        }
        return Phone(
            server: server, account: account, device: try await TestDevice.signedIn(account, client),
            apple: SoftwareAppAttest(authority, appID: Self.appID),
            android: SoftwareAndroidKeystore(
                authority, package: "com.example.wallet", digest: [UInt8](repeating: 0xAB, count: 32)))
    }

    @Test("Where an attestation is required, the genuine app enrolls, and the operator sees which it is")
    func required() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        let without = try await phone.enroll(over: challenge, nil)
        #expect(without.refusal == .attestationRequired)
        let statement = try phone.apple.attestation(over: phone.hash(challenge))
        let request = try await phone.enroll(over: challenge, statement)
        #expect(request.refusal == nil)
        let record = try await phone.record()
        #expect(record.attestation?.app.app == Self.appID)
        #expect(record.keyStorage == .software, "Apple says nothing about the device's key")
        let shown = String(decoding: try await phone.server.administer(["device", "list", "ada"]).bytes, as: UTF8.self)
        #expect(shown.contains(Self.appID))
        #expect(try await phone.reasons() == ["missing"])
    }

    @Test("On Android the device's own key is attested, and counts as one in hardware")
    func android() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        let hash = try AttestationStatement.challenge(for: .device, nonce: challenge.nonce, thumbprint: nil)
        let key = try P256.Signing.PublicKey(
            rawRepresentation: Self.coordinates(of: phone.device.deviceKey))
        _ = try await phone.enroll(over: challenge, phone.android.attestation(of: key, over: hash)).get()
        let record = try await phone.record()
        #expect(record.keyStorage == .hardware)
        #expect(record.attestation?.app.keyLevel == .trustedEnvironment)
        #expect(record.attestation?.counted == nil)
    }

    @Test("A key that is revoked while the server runs is refused from then on")
    func revoked() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        let hash = try AttestationStatement.challenge(for: .device, nonce: challenge.nonce, thumbprint: nil)
        let key = try P256.Signing.PublicKey(rawRepresentation: Self.coordinates(of: phone.device.deviceKey))
        phone.server.context.settings.devices.attestation.revokedAndroidSerials.replace(
            with: [phone.android.authority.intermediateSerial])
        let outcome = try await phone.enroll(over: challenge, phone.android.attestation(of: key, over: hash))
        #expect(outcome.refusal == .attestationInvalid)
        #expect(try await phone.reasons() == ["revoked"])
    }

    @Test("What is wrong is one answer to the app, and a reason in the audit log")
    func refused() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        var evil = phone.apple
        evil.appID = "ABCDE12345.com.example.evil"
        for statement in [
            try evil.attestation(over: phone.hash(challenge)),
            try phone.apple.attestation(over: phone.hash(challenge, of: TestKey())),
        ] {
            let outcome = try await phone.enroll(over: challenge, statement)
            #expect(outcome.refusal == .attestationInvalid)
        }
        #expect(try await Set(phone.reasons()) == ["wrong_app", "wrong_challenge"])
        #expect(try await phone.device.list().isEmpty)
    }

    @Test(
        "attack: an app that is refused again and again does not fill the audit log",
        .threat("A script or another app in place of the app"))
    func refusedOften() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        for _ in 0..<8 {
            let outcome = try await phone.enroll(over: challenge, nil)
            #expect(outcome.refusal == .attestationRequired)
        }
        #expect(try await phone.reasons().count == 5)
        phone.server.clock.advance(by: .minutes(1))
        for _ in 0..<2 { _ = try await phone.enroll(over: challenge, nil) }
        #expect(try await phone.reasons().count == 6)
    }

    @Test(
        "attack: the attestation that another person's device made enrolls no device of the attacker's account",
        .threat("A script or another app in place of the app"))
    func otherPersons() async throws {
        let phone = try await phone(.required)
        let holders = try await phone.device.challenge()
        let statement = try phone.apple.attestation(over: phone.hash(holders))
        let mallory = try await phone.server.account("mallory")
        let device = try await TestDevice.signedIn(mallory, phone.device.app.client)
        var request = try await device.enrollment(mallory, over: device.challenge())
        request.attestation = statement
        let outcome = try await device.enroll(request)
        #expect(outcome.refusal == .attestationInvalid)
    }

    @Test("Where attestations are only recorded, a device without one or with a wrong one is enrolled all the same")
    func recorded() async throws {
        for wrong in [false, true] {
            let phone = try await phone(.recorded)
            let challenge = try await phone.device.challenge()
            var other = phone.apple
            other.authority = try AttestationAuthority()
            let statement = wrong ? try other.attestation(over: phone.hash(challenge)) : nil
            _ = try await phone.enroll(over: challenge, statement).get()
            #expect(try await phone.record().attestation == nil)
            #expect(try await phone.reasons() == (wrong ? ["untrusted_chain"] : []))
        }
    }

    @Test("Where the policy is off, an attestation is not looked at")
    func off() async throws {
        let phone = try await phone(.off)
        let challenge = try await phone.device.challenge()
        _ = try await phone.enroll(over: challenge, AttestationStatement(.appleAttestation, object: [0])).get()
        #expect(try await phone.record().attestation == nil)
        #expect(try await phone.reasons().isEmpty)
    }

    @Test("A removed device keeps no attestation")
    func removed() async throws {
        let phone = try await phone(.required)
        let challenge = try await phone.device.challenge()
        let enrolled = try await phone.enroll(
            over: challenge, phone.apple.attestation(over: phone.hash(challenge))
        ).get()
        #expect(try await phone.device.remove(enrolled.id) == nil)
        #expect(try await phone.record().attestation == nil)
    }

    private static func coordinates(of key: TestKey) throws -> [UInt8] {
        guard case .p256(let x, let y) = key.publicKey.key else { throw MalformedValue(field: "key", reason: "") }
        return x + y
    }
}
