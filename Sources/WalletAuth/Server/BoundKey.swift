import Crypto
import Foundation
import WalletAuthTransport
import WalletAuthWire

/// A device key as a JOSE signer.
struct BoundKey: AsyncJWSSigner {
    let thumbprint: JWKThumbprint
    let proofs: DPoPProofEncoder
    private let signer: Signer

    var algorithm: SigningAlgorithm { signer.algorithm }
    var keyID: String? { signer.keyID }
    var publicJWK: JWK? { signer.publicJWK }

    init(_ key: any DeviceKey) throws {
        guard let publicKey = try? P256.Signing.PublicKey(x963Representation: key.publicKey) else {
            throw DeviceKeyFailure(.failed, reason: "the public key is not a point on P-256")
        }
        let jwk = JWK(publicKey)
        signer = Signer(key: key, publicJWK: jwk)
        thumbprint = jwk.thumbprint
        proofs = try DPoPProofEncoder(signer: signer)
    }

    func sign(_ bytes: [UInt8]) async throws -> [UInt8] { try await signer.sign(bytes) }

    private struct Signer: AsyncJWSSigner {
        let key: any DeviceKey
        let publicJWK: JWK?
        var algorithm: SigningAlgorithm { .es256 }
        var keyID: String? { nil }

        func sign(_ bytes: [UInt8]) async throws -> [UInt8] {
            let signature = Array(try await key.sign(Data(bytes)))
            guard signature.count == 64 else {
                throw DeviceKeyFailure(.failed, reason: "a signature is not 64 bytes long")
            }
            return signature
        }
    }
}

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
