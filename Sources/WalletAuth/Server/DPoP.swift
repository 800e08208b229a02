import Foundation
import WalletAuthTransport
import WalletAuthWire

extension BoundKey {
    /// A proof of possession for one request (RFC 9449 §4.2), created for each attempt.
    func proof(
        method: String, url: URL, accessToken: AccessToken?, nonce: Nonce?, at now: Instant
    ) async throws -> String {
        let content = DPoPProofEncoder.Content(
            id: Randomness.token(), method: method, target: try HTTPTarget(url.absoluteString),
            issuedAt: NumericDate(clamping: now.seconds), nonce: nonce, accessToken: accessToken)
        return try await proofs.encode(content, signer: self)
    }
}
