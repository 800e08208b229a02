import Crypto
import WalletAuthWire

/// The key that the right PIN produces on this device in this epoch. It is derived for one assertion and never stored.
struct PINKey: JWSSigner, CustomReflectable {
    private let signer: P256Signer
    /// The public half.
    let publicKey: JWK

    init(_ scalar: SecretBytes) throws(PINFailure) {
        guard let key = scalar.withBytes({ try? P256.Signing.PrivateKey(rawRepresentation: $0) }) else {
            throw .cryptography
        }
        signer = P256Signer(key)
        publicKey = JWK(key.publicKey)
    }

    var algorithm: SigningAlgorithm { .es256 }
    var keyID: String? { nil }
    var publicJWK: JWK? { publicKey }
    func sign(_ bytes: [UInt8]) throws -> [UInt8] { try signer.sign(bytes) }

    /// An empty mirror.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
