import Core
import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import Kernel
@testable import SignIn

@Suite("Attestations that another program made")
struct AttestationVectorTests {
    private let now = Timestamp(seconds: 1_800_000_000)
    private let challenge = Array(SHA256.hash(data: Array("challenge".utf8)))

    private func bytes(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }

    private var roots: AttestationRoots {
        get throws {
            try AttestationRoots(pem: String(decoding: bytes(AttestationVectors.root), as: UTF8.self))
        }
    }

    @Test("Apple's attestation and a later assertion")
    func apple() async throws {
        let verifier = AppAttest(
            roots: try roots, appIDs: ["ABCDE12345.com.example.wallet"], environment: .production)
        let found = try await verifier.attestation(
            bytes(AttestationVectors.attestation), over: challenge, now: now)
        let counted = try #require(found.counted)
        #expect(try verifier.assertion(bytes(AttestationVectors.assertion), over: challenge, by: counted) == 7)
    }

    @Test("Android's chain of a key that recognizes its holder")
    func android() async throws {
        let app = try AndroidApp("com.example.wallet=" + String(repeating: "ab", count: 32))
        let found = try await AndroidKeyAttestation(roots: roots, revoked: [], apps: [app]).verified(
            [bytes(AttestationVectors.androidLeaf), bytes(AttestationVectors.androidIntermediate)],
            of: bytes(AttestationVectors.androidKey), over: challenge, now: now)
        #expect(found.recognizesHolder)
        #expect(found.app.keyLevel == .strongBox)
    }
}
