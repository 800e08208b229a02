public import Crypto

/// A public key as JSON (RFC 7517): P-256, Ed25519, or RSA as data.
///
/// A private or symmetric key is refused: sending one is a mistake, and storing it a worse one.
public struct JWK: Hashable, Sendable {
    /// The kinds of keys, with their bytes.
    public enum Key: Hashable, Sendable {
        /// A point of P-256, its coordinates 32 bytes each, big-endian (RFC 7518 §6.2).
        case p256(x: [UInt8], y: [UInt8])
        /// An Ed25519 key of 32 bytes (RFC 8037 §2).
        case ed25519(x: [UInt8])
        /// An RSA key, big-endian without leading zeros (RFC 7518 §6.3).
        case rsa(modulus: [UInt8], exponent: [UInt8])
    }

    /// The key.
    public let key: Key

    /// The key's identifier.
    public let keyID: String?

    /// Creates a key.
    /// - Parameters:
    ///   - key: the key.
    ///   - keyID: its identifier, 1 to 255 bytes.
    /// - Throws: ``JOSEError/keyNotAllowed(_:)`` if the bytes are not such a key.
    public init(_ key: Key, keyID: String? = nil) throws(JOSEError) {
        switch key {
        case .p256(let x, let y):
            guard x.count == 32, y.count == 32, (try? P256.Signing.PublicKey(rawRepresentation: x + y)) != nil else {
                throw .keyNotAllowed("is not a point of P-256")
            }
        case .ed25519(let x):
            guard x.count == 32 else { throw .keyNotAllowed("is not 32 bytes") }
        case .rsa(let modulus, let exponent):
            // RFC 7518 §3.3 requires at least 2048 bits; above 8192, a single verification attacks the processor.
            guard let first = modulus.first, first != 0 else {
                throw .keyNotAllowed("has a modulus with a leading zero")
            }
            let bits = modulus.count * 8 - first.leadingZeroBitCount
            guard (2048...8192).contains(bits), modulus.last.map({ $0 & 1 == 1 }) == true else {
                throw .keyNotAllowed("has a modulus that is not 2048 to 8192 bits of an odd number")
            }
            guard let lead = exponent.first, lead != 0, exponent.count <= 4, exponent != [1],
                exponent.last.map({ $0 & 1 == 1 }) == true
            else { throw .keyNotAllowed("has an exponent that is not odd, above 1 and of at most 32 bits") }
        }
        if let keyID {
            guard (1...255).contains(keyID.utf8.count) else {
                throw .keyNotAllowed("has a kid that is empty or too long")
            }
        }
        self.key = key
        self.keyID = keyID
    }

    /// A P-256 key.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: its identifier.
    public init(_ publicKey: P256.Signing.PublicKey, keyID: String? = nil) {
        let raw = Array(publicKey.rawRepresentation)
        key = .p256(x: Array(raw[..<32]), y: Array(raw[32...]))
        self.keyID = keyID
    }

    /// An Ed25519 key.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: its identifier.
    public init(_ publicKey: Curve25519.Signing.PublicKey, keyID: String? = nil) {
        key = .ed25519(x: Array(publicKey.rawRepresentation))
        self.keyID = keyID
    }

    /// The algorithm of this key.
    public var algorithm: SigningAlgorithm {
        switch key {
        case .p256: .es256
        case .ed25519: .edDSA
        case .rsa: .rs256
        }
    }

    /// The RFC 7638 thumbprint.
    public var thumbprint: JWKThumbprint { JWKThumbprint(of: self) }
}
