public import Crypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A private key that signs asynchronously, for instance in a Secure Enclave behind a prompt.
public protocol AsyncJWSSigner: Sendable {
    /// The algorithm of the key.
    var algorithm: SigningAlgorithm { get }

    /// The identifier for headers, if there is one.
    var keyID: String? { get }

    /// The public half. Only proofs that contain their key need it.
    var publicJWK: JWK? { get }

    /// Signs some bytes.
    /// - Parameter bytes: the JWS signing input.
    /// - Returns: the signature in JWS form; for ES256 that is r ‖ s, 64 bytes, never DER.
    func sign(_ bytes: [UInt8]) async throws -> [UInt8]
}

/// A private key that signs immediately.
public protocol JWSSigner: AsyncJWSSigner {
    /// Signs some bytes.
    /// - Parameter bytes: the JWS signing input.
    /// - Returns: the signature in JWS form; for ES256 that is r ‖ s, 64 bytes, never DER.
    func sign(_ bytes: [UInt8]) throws -> [UInt8]
}

/// A public key that verifies. One verifier has one algorithm: a token's header never chooses another.
///
/// ES256 and EdDSA are included; the server adds RS256 with its own conforming type.
public protocol JWSVerifier: Sendable {
    /// The algorithm of the key.
    var algorithm: SigningAlgorithm { get }

    /// The identifier of the key in headers.
    var keyID: String? { get }

    /// Whether a signature is right.
    /// - Parameters:
    ///   - signature: the signature in JWS form.
    ///   - bytes: the JWS signing input.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool
}

/// Signs ES256 with a key in memory.
public struct P256Signer: JWSSigner {
    private let privateKey: P256.Signing.PrivateKey
    /// ES256.
    public var algorithm: SigningAlgorithm { .es256 }
    /// The identifier for headers.
    public let keyID: String?
    /// The public half, with the identifier.
    public let publicJWK: JWK?

    /// Creates a signer.
    /// - Parameters:
    ///   - privateKey: the key.
    ///   - keyID: the identifier for headers.
    public init(_ privateKey: P256.Signing.PrivateKey, keyID: String? = nil) {
        self.privateKey = privateKey
        self.keyID = keyID
        publicJWK = JWK(privateKey.publicKey, keyID: keyID)
    }

    /// Signs some bytes.
    /// - Parameter bytes: the JWS signing input.
    /// - Throws: what the library throws.
    public func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        Array(try privateKey.signature(for: bytes).rawRepresentation)
    }
}

/// Signs EdDSA with an Ed25519 key in memory.
public struct Ed25519Signer: JWSSigner {
    private let privateKey: Curve25519.Signing.PrivateKey
    /// EdDSA.
    public var algorithm: SigningAlgorithm { .edDSA }
    /// The identifier for headers.
    public let keyID: String?
    /// The public half, with the identifier.
    public let publicJWK: JWK?

    /// Creates a signer.
    /// - Parameters:
    ///   - privateKey: the key.
    ///   - keyID: the identifier for headers.
    public init(_ privateKey: Curve25519.Signing.PrivateKey, keyID: String? = nil) {
        self.privateKey = privateKey
        self.keyID = keyID
        publicJWK = JWK(privateKey.publicKey, keyID: keyID)
    }

    /// Signs some bytes.
    /// - Parameter bytes: the JWS signing input.
    /// - Throws: what the library throws.
    public func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try privateKey.signature(for: bytes)) }
}

/// Verifies ES256. Keeps the parsed key, because parsing it for each token is expensive.
public struct P256Verifier: JWSVerifier {
    private let publicKey: P256.Signing.PublicKey
    /// ES256.
    public var algorithm: SigningAlgorithm { .es256 }
    /// The identifier of the key in headers.
    public let keyID: String?

    /// Creates a verifier.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: the identifier of the key in headers.
    public init(_ publicKey: P256.Signing.PublicKey, keyID: String? = nil) {
        self.publicKey = publicKey
        self.keyID = keyID
    }

    /// Whether a signature of r ‖ s, 64 bytes, is right.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard signature.count == 64, let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return publicKey.isValidSignature(parsed, for: bytes)
    }
}

/// Verifies EdDSA with an Ed25519 key.
public struct Ed25519Verifier: JWSVerifier {
    private let publicKey: Curve25519.Signing.PublicKey
    /// EdDSA.
    public var algorithm: SigningAlgorithm { .edDSA }
    /// The identifier of the key in headers.
    public let keyID: String?

    /// Creates a verifier.
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: the identifier of the key in headers.
    public init(_ publicKey: Curve25519.Signing.PublicKey, keyID: String? = nil) {
        self.publicKey = publicKey
        self.keyID = keyID
    }

    /// Whether a signature of 64 bytes is right.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        signature.count == 64 && publicKey.isValidSignature(signature, for: bytes)
    }
}

extension JWK {
    /// Creates a verifier for this key.
    /// - Throws: ``JOSEError/algorithmNotAllowed`` for an RSA key, whose verifier belongs to the server.
    public func verifier() throws(JOSEError) -> any JWSVerifier {
        switch key {
        case .p256(let x, let y):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y) else {
                throw .keyNotAllowed("is not a point of P-256")
            }
            return P256Verifier(key, keyID: keyID)
        case .ed25519(let x):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
                throw .keyNotAllowed("is not 32 bytes")
            }
            return Ed25519Verifier(key, keyID: keyID)
        case .rsa: throw .algorithmNotAllowed
        }
    }
}
