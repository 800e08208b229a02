import Core
import Crypto
import Foundation
import SoftwareAttesters
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Android's attestation of a key")
struct AndroidKeyAttestationTests {
    private static let package = "com.example.wallet"
    private let now = Timestamp(seconds: 1_800_000_000)
    private let challenge = Array(SHA256.hash(data: [1]))
    private let key = P256.Signing.PrivateKey()
    private let authority: AttestationAuthority
    private let phone: SoftwareAndroidKeystore

    init() throws {
        authority = try AttestationAuthority()
        phone = SoftwareAndroidKeystore(
            authority, package: Self.package, digest: [UInt8](repeating: 0xAB, count: 32))
    }

    private func verify(
        _ phone: SoftwareAndroidKeystore, over challenge: [UInt8]? = nil, as other: P256.Signing.PrivateKey? = nil,
        revoked: Set<String> = []
    ) async throws -> Result<AndroidKeyAttestation.Verified, AttestationFault> {
        let app = try AndroidApp("com.example.wallet=" + String(repeating: "ab", count: 32))
        let verifier = AndroidKeyAttestation(
            roots: try AttestationRoots(pem: authority.pem), revoked: revoked, apps: [app])
        let statement = try phone.attestation(of: key.publicKey, over: challenge ?? self.challenge)
        do throws(AttestationFault) {
            return .success(
                try await verifier.verified(
                    statement.certificates ?? [], of: Array((other ?? key).publicKey.rawRepresentation),
                    over: self.challenge, now: now))
        } catch { return .failure(error) }
    }

    /// What is wrong after a change; `nil` for nothing.
    private func fault(_ change: (inout SoftwareAndroidKeystore) throws -> Void) async throws -> AttestationFault? {
        var phone = phone
        try change(&phone)
        if case .failure(let fault) = try await verify(phone) { return fault }
        return nil
    }

    @Test("A key in secure hardware is attested with its app, and where it lies", arguments: [UInt8(1), 2])
    func holds(level: UInt8) async throws {
        var phone = phone
        phone.level = level
        let found = try await verify(phone).get()
        #expect(
            found.app
                == AppAttestation(
                    platform: .android, environment: .production, app: Self.package,
                    keyLevel: level == 2 ? .strongBox : .trustedEnvironment,
                    attestedAt: NumericDate(clamping: now.seconds)))
        #expect(!found.recognizesHolder)
    }

    @Test("attack: certificates of one name, which may all be each other's issuers, are refused before a path is tried")
    func repeatedName() async throws {
        let roots = try AttestationRoots(pem: authority.pem)
        let sent = try phone.attestation(of: key.publicKey, over: challenge).certificates ?? []
        _ = try await CertificateChain(sent, to: roots, now: now)
        // The same one, and one of another key.
        let namesake = try SoftwareAndroidKeystore(
            AttestationAuthority(), package: Self.package, digest: [UInt8](repeating: 0xAB, count: 32))
        let other = try namesake.attestation(of: key.publicKey, over: challenge).certificates ?? []
        for issuer in [sent.last, other.last] {
            let chain = sent + [try #require(issuer)]
            await #expect(throws: AttestationFault.malformed) {
                _ = try await CertificateChain(chain, to: roots, now: now)
            }
        }
    }

    @Test("A key recognizes its holder if hardware asks for a fingerprint or face, and nothing else, each time")
    func recognizesHolder() async throws {
        for (checks, lifetime, expected) in [(2, nil, true), (3, nil, false), (1, nil, false), (2, 30, false)]
            as [(Int, Int?, Bool)]
        {
            var phone = phone
            (phone.holderChecks, phone.checkLifetime) = (checks, lifetime)
            #expect(try await verify(phone).get().recognizesHolder == expected, "\(checks), \(lifetime ?? 0)")
        }
    }

    @Test(
        "attack: an emulator, an unlocked phone, a system that is not its maker's, and a key that came from elsewhere",
        .threat("A script or another app in place of the app"))
    func untrustedPhone() async throws {
        #expect(try await fault { $0.level = 0 } == .notHardware)
        #expect(try await fault { $0.isLocked = false } == .unverifiedBoot)
        for state: UInt8 in 1...3 { #expect(try await fault { $0.bootState = state } == .unverifiedBoot) }
        #expect(try await fault { $0.origin = 2 } == .unsuitableKey)
    }

    @Test("A key for another purpose, or on another curve, is not a device's")
    func unsuitable() async throws {
        #expect(try await fault { $0.purposes = [2, 7] } == .unsuitableKey)
        #expect(try await fault { $0.purposes = [3] } == .unsuitableKey)
        #expect(try await fault { $0.curve = 2 } == .unsuitableKey)
        #expect(try await fault { $0.purposes = [2, 3] } == nil)
    }

    @Test(
        "attack: another app, and the app repackaged with another signature",
        .threat("A script or another app in place of the app"))
    func otherApp() async throws {
        #expect(try await fault { $0.package = "com.example.evil" } == .wrongApp)
        #expect(try await fault { $0.digest = [UInt8](repeating: 1, count: 32) } == .wrongApp)
    }

    @Test("A chain of another root, an expired one, and one with a revoked certificate")
    func chains() async throws {
        #expect(try await fault { $0.authority = try AttestationAuthority() } == .untrustedChain)
        #expect(
            try await fault { $0.until = Date(timeIntervalSince1970: Double(now.seconds - 1)) } == .untrustedChain)
        let list = #"{"entries":{"\#(authority.intermediateSerial)":{"status":"REVOKED","reason":"KEY_COMPROMISE"}}}"#
        let revoked = try AndroidRevocations.serials(Array(list.utf8))
        guard case .failure(let fault) = try await verify(phone, revoked: revoked) else {
            Issue.record("a revoked key counts")
            return
        }
        #expect(fault == .revoked)
    }

    @Test("The attestation of another challenge or of another key")
    func otherSubject() async throws {
        guard case .failure(let challenge) = try await verify(phone, over: Array(SHA256.hash(data: [2]))),
            case .failure(let key) = try await verify(phone, as: P256.Signing.PrivateKey())
        else {
            Issue.record("it counts")
            return
        }
        #expect(challenge == .wrongChallenge)
        #expect(key == .wrongKey)
    }

    @Test("Google's list is read with its serial numbers in either case; what is none is refused")
    func revocations() throws {
        let list = #"{"entries":{"0C":{"status":"SUSPENDED"},"a1b2":{"status":"REVOKED","expires":"2030-01-01"}}}"#
        #expect(try AndroidRevocations.serials(Array(list.utf8)) == ["c", "a1b2"])
        for text in ["{}", "[]", #"{"entries":{"not a number":{}}}"#, #"{"entries":{"00":{}}}"#] {
            #expect(throws: MalformedValue.self) { try AndroidRevocations.serials(Array(text.utf8)) }
        }
    }

    @Test("An app is written as its package and digest, with or without colons; anything else is none")
    func apps() throws {
        let digest = (0..<32).map { String(format: "%02X", $0) }
        let app = try AndroidApp("com.example.wallet=" + digest.joined(separator: ":"))
        #expect(app.certificate == (0..<32).map { UInt8($0) })
        #expect(app.text == "com.example.wallet=" + digest.joined())
        for text in [
            "", "com.example.wallet", "wallet=" + digest.joined(), "com.example.wallet=" + digest.dropLast().joined(),
            "com.example.wallet=" + digest.joined() + "=", "com..wallet=" + digest.joined(),
        ] {
            #expect(throws: MalformedValue.self, "\(text)") { try AndroidApp(text) }
        }
    }
}
