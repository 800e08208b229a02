internal import Crypto
internal import CryptoExtras
package import WalletAuthWire

/// Signs RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), for ID tokens alone: certified clients of the ecosystem insist
/// on it.
///
/// This is the only file that touches RSA; CryptoExtras' interface to it is underscored, so a change of it stays in here.
package struct RS256Signer: JWSSigner {
    private let key: _RSA.Signing.PrivateKey
    /// RS256.
    package var algorithm: SigningAlgorithm { .rs256 }
    /// The identifier for headers.
    package let keyID: String?
    /// The public half, with the identifier.
    package let publicJWK: JWK?

    /// Makes a key of 2,048 bits from the library's own secure generator.
    /// - Throws: what the library throws.
    package static func generate(keyID: String) throws -> RS256Signer {
        try RS256Signer(_RSA.Signing.PrivateKey(keySize: .bits2048), keyID: keyID)
    }

    /// - Parameters:
    ///   - der: PKCS #1 bytes, as ``privateBytes`` gave them.
    ///   - keyID: the identifier for headers.
    /// - Throws: what the library throws for anything else.
    package init(der: [UInt8], keyID: String) throws {
        try self.init(_RSA.Signing.PrivateKey(derRepresentation: der), keyID: keyID)
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

    /// - Parameter bytes: the JWS signing input.
    /// - Throws: what the library throws.
    package func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        Array(try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation)
    }
}

/// Verifies RS256 with a key of at least 2,048 bits.
package struct RS256Verifier: JWSVerifier {
    private let key: _RSA.Signing.PublicKey
    /// RS256.
    package var algorithm: SigningAlgorithm { .rs256 }
    /// The identifier by which headers name the key.
    package let keyID: String?

    /// - Parameter jwk: an RSA key; its size was checked when it was read.
    /// - Throws: ``JOSEError`` for a key of another kind.
    package init(_ jwk: JWK) throws(JOSEError) {
        guard case .rsa(let modulus, let exponent) = jwk.key else { throw .algorithmDoesNotFitKey }
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
            throw .keyNotAllowed("is no RSA key")
        }
        self.key = key
        keyID = jwk.keyID
    }

    /// Whether a signature of the modulus' length is right.
    package func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        // RFC 8017 §8.2.2: as many bytes as hold the modulus, whose bits need not fill them.
        guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5)
    }
}
