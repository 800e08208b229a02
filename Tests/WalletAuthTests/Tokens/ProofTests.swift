import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import WalletAuth

@Suite("DPoP proofs by a device key")
struct ProofTests {
    /// A key whose signature fails with `error`.
    private struct FailingKey: DeviceKey {
        let publicKey = P256.Signing.PrivateKey().publicKey.x963Representation
        let error: any Error

        func sign(_ message: Data) async throws -> Data { throw error }
    }

    private func proof(of url: String, by key: any DeviceKey) async throws {
        let url = try #require(URL(string: url))
        _ = try await BoundKey(key).proof(
            method: "GET", url: url, accessToken: nil, nonce: nil, at: Instant(milliseconds: 0))
    }

    @Test("A malformed value from the key is a failure of the key, not of the request's URL")
    func malformedKey() async throws {
        let key = FailingKey(error: MalformedValue(field: "x", reason: "is not on the curve"))
        let failure = await #expect(throws: DeviceKeyFailure.self) {
            try await proof(of: "https://api.example.com/me", by: key)
        }
        #expect(failure?.kind == .failed)
    }

    @Test("A URL that no proof can name is refused before the key signs")
    func unprovableURL() async throws {
        let key = FailingKey(error: DeviceKeyFailure(.failed, reason: "must not sign"))
        await #expect(throws: UnprovableURL.self) { try await proof(of: "https://api.example.com:99999/", by: key) }
    }
}
