internal import Crypto
internal import CryptoExtras
package import WalletAuthWire

/// Signs RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), only where others require it: certified OpenID Connect clients in ID
/// tokens, and Google in the assertions of its service accounts.
///
/// The only file that uses CryptoExtras' underscored RSA interface, so that a change of it stays here.
package struct RS256Signer: JWSSigner {
    private let key: _RSA.Signing.PrivateKey
    package var algorithm: SigningAlgorithm { .rs256 }
    package let keyID: String?
    package let publicJWK: JWK?

    /// Creates a key of 2,048 bits.
    package static func generate(keyID: String) throws -> RS256Signer {
        try RS256Signer(_RSA.Signing.PrivateKey(keySize: .bits2048), keyID: keyID)
    }

    /// - Parameter der: PKCS #1, as in ``privateBytes``.
    package init(der: [UInt8], keyID: String) throws {
        try self.init(_RSA.Signing.PrivateKey(derRepresentation: der), keyID: keyID)
    }

    /// - Parameter pem: PKCS #1 or PKCS #8.
    package init(pem: String, keyID: String) throws {
        try self.init(_RSA.Signing.PrivateKey(pemRepresentation: pem), keyID: keyID)
    }

    private init(_ key: _RSA.Signing.PrivateKey, keyID: String) throws {
        let primitives = try key.publicKey.getKeyPrimitives()
        self.key = key
        self.keyID = keyID
        publicJWK = try JWK(
            .rsa(modulus: Array(primitives.modulus), exponent: Array(primitives.publicExponent)), keyID: keyID)
    }

    /// PKCS #1 bytes, to be sealed.
    var privateBytes: [UInt8] { Array(key.derRepresentation) }

    package func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
}

/// Verifies RS256 with a key of at least 2,048 bits.
package struct RS256Verifier: JWSVerifier {
    private let key: _RSA.Signing.PublicKey
    package var algorithm: SigningAlgorithm { .rs256 }
    package let keyID: String?

    /// The size of the key was checked when it was parsed.
    /// - Throws: ``JOSEError`` for a key of another type.
    package init(_ jwk: JWK) throws(JOSEError) {
        guard case .rsa(let modulus, let exponent) = jwk.key else { throw .algorithmDoesNotFitKey }
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
            throw .keyNotAllowed("is not an RSA key")
        }
        self.key = key
        keyID = jwk.keyID
    }

    package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        // RFC 8017 §8.2.2: a signature has as many bytes as the modulus, rounded up.
        guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5)
    }
}
