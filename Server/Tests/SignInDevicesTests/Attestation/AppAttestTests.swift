import Core
import Crypto
import Foundation
import SoftwareAttesters
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Apple's attestation of an app")
struct AppAttestTests {
    private static let appID = "ABCDE12345.com.example.wallet"
    private let now = Timestamp(seconds: 1_800_000_000)
    private let hash = Array(SHA256.hash(data: [1]))
    private let authority: AttestationAuthority
    private let phone: SoftwareAppAttest

    init() throws {
        authority = try AttestationAuthority()
        phone = SoftwareAppAttest(authority, appID: Self.appID)
    }

    private func verifier(_ environment: ServerSettings.Environment = .production) throws -> AppAttest {
        AppAttest(
            roots: try AttestationRoots(pem: authority.pem), appIDs: ["FGHIJ67890.com.example.other", Self.appID],
            environment: environment)
    }

    /// What is wrong with an attestation; `nil` for nothing.
    private func fault(
        of statement: AttestationStatement, in environment: ServerSettings.Environment = .production,
        over hash: [UInt8]? = nil
    ) async throws -> AttestationFault? {
        let verifier = try verifier(environment)
        do throws(AttestationFault) {
            _ = try await verifier.attestation(statement.object ?? [], over: hash ?? self.hash, now: now)
            return nil
        } catch { return error }
    }

    @Test("The app's attestation holds, and names the app, its build and the time")
    func holds() async throws {
        let found = try await verifier().attestation(
            phone.attestation(over: hash).object ?? [], over: hash, now: now)
        #expect(
            found.app
                == AppAttestation(
                    platform: .apple, environment: .production, app: Self.appID, keyLevel: nil,
                    attestedAt: NumericDate(clamping: now.seconds)))
        #expect(found.counted?.publicKey == Array(phone.key.publicKey.rawRepresentation))
        #expect(found.counted?.counter == 0)
    }

    @Test("attack: a chain to a root of the attacker's own", .threat("A script or another app in place of the app"))
    func otherRoot() async throws {
        var forged = phone
        forged.authority = try AttestationAuthority()
        #expect(try await fault(of: forged.attestation(over: hash)) == .untrustedChain)
    }

    @Test("A certificate that has expired")
    func expired() async throws {
        var late = phone
        late.until = Date(timeIntervalSince1970: Double(now.seconds - 1))
        #expect(try await fault(of: late.attestation(over: hash)) == .untrustedChain)
    }

    @Test("attack: a genuine attestation of another app", .threat("A script or another app in place of the app"))
    func otherApp() async throws {
        var other = phone
        other.appID = "ABCDE12345.com.example.evil"
        #expect(try await fault(of: other.attestation(over: hash)) == .wrongApp)
    }

    @Test("A development build counts in the sandbox, and not in production; an environment that is unknown nowhere")
    func development() async throws {
        var build = phone
        build.model = SoftwareAppAttest.development
        #expect(try await fault(of: build.attestation(over: hash)) == .development)
        #expect(try await fault(of: build.attestation(over: hash), in: .sandbox) == nil)
        build.model = [UInt8](repeating: 0, count: 16)
        #expect(try await fault(of: build.attestation(over: hash), in: .sandbox) == .malformed)
    }

    @Test("attack: the attestation of another challenge", .threat("A script or another app in place of the app"))
    func otherChallenge() async throws {
        let statement = try phone.attestation(over: Array(SHA256.hash(data: [2])))
        #expect(try await fault(of: statement) == .wrongChallenge)
    }

    @Test("A key that has asserted before is not attested as a new one")
    func usedKey() async throws {
        var used = phone
        used.counter = 1
        #expect(try await fault(of: used.attestation(over: hash)) == .usedBefore)
    }

    @Test("Unknown formats, deep or endless CBOR, and a cut object are malformed")
    func malformed() async throws {
        var other = phone
        other.format = "packed"
        #expect(try await fault(of: other.attestation(over: hash)) == .malformed)
        let object = try #require(try phone.attestation(over: hash).object)
        for bytes in [
            [], Array(object.dropLast()), object + [0], [UInt8](repeating: 0x81, count: 10_000) + [0],
            // An array without an end, and one of 2^32 elements.
            [0x9F, 0x01], [0x9A, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]] {
            #expect(try await fault(of: AttestationStatement(.appleAttestation, object: bytes)) == .malformed)
        }
    }

    @Test("An assertion holds once its counter rose; one that does not rise, or goes back, is refused")
    func counter() async throws {
        var phone = phone
        let verifier = try verifier()
        var counted = try #require(
            try await verifier.attestation(phone.attestation(over: hash).object ?? [], over: hash, now: now).counted)
        let first = try phone.assertion(over: hash)
        let second = try phone.assertion(over: hash)
        counted.counter = try verifier.assertion(second.object ?? [], over: hash, by: counted)
        #expect(counted.counter == 2)
        for replayed in [first, second] {
            #expect(throws: AttestationFault.counterBehind) {
                try verifier.assertion(replayed.object ?? [], over: hash, by: counted)
            }
        }
    }

    @Test(
        "attack: an assertion is replayed for another payment or key, or made by another app's key",
        .threat("A script or another app in place of the app"))
    func replayedElsewhere() async throws {
        var phone = phone
        let verifier = try verifier()
        let counted = DeviceAttestation.CountedKey(
            publicKey: Array(phone.key.publicKey.rawRepresentation), counter: 0)
        let statement = try phone.assertion(over: hash)
        #expect(throws: AttestationFault.wrongSignature) {
            try verifier.assertion(statement.object ?? [], over: Array(SHA256.hash(data: [2])), by: counted)
        }
        var other = SoftwareAppAttest(authority, appID: Self.appID)
        let byOther = try other.assertion(over: hash)
        #expect(throws: AttestationFault.wrongSignature) {
            try verifier.assertion(byOther.object ?? [], over: hash, by: counted)
        }
        phone.appID = "ABCDE12345.com.example.evil"
        let ofOtherApp = try phone.assertion(over: hash)
        #expect(throws: AttestationFault.wrongApp) {
            try verifier.assertion(ofOtherApp.object ?? [], over: hash, by: counted)
        }
    }

    @Test("The roots that the program contains are Apple's one and Google's two")
    func roots() throws {
        #expect(try AttestationRoots(pem: AttestationRoots.apple).certificates.count == 1)
        #expect(try AttestationRoots(pem: AttestationRoots.android).certificates.count == 2)
    }
}
