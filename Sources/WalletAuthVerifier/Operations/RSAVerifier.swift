internal import Crypto
internal import CryptoExtras
public import WalletAuthWire

/// Verifies RS256 signatures, which some passkeys use. It is here and not in `WalletAuthWire` because it needs
/// BoringSSL, which no app needs.
public struct RSAVerifier: JWSVerifier {
    private let key: _RSA.Signing.PublicKey
    /// RS256.
    public var algorithm: SigningAlgorithm { .rs256 }
    /// The key id that headers use.
    public let keyID: String?

    /// Creates a verifier.
    ///
    /// - Parameter jwk: an RSA key. Its size was checked when it was decoded.
    /// - Throws: `JOSEError` for a key of another type.
    public init(_ jwk: JWK) throws(JOSEError) {
        guard case .rsa(let modulus, let exponent) = jwk.key else { throw .algorithmDoesNotFitKey }
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
            throw .keyNotAllowed("is not an RSA key")
        }
        self.key = key
        keyID = jwk.keyID
    }

    /// Validates a signature of the modulus' length.
    ///
    /// - Parameters:
    ///   - signature: the signature.
    ///   - bytes: the signed bytes.
    /// - Returns: whether the signature is the key's over these bytes.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        // RFC 8017 §8.2.2: the signature has the modulus' length in bytes, even if the modulus does not use all their
        // bits.
        guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5)
    }
}

extension OperationEvidence {
    /// Verifies the document offline, as `WalletAuthWire` does, including signatures by RSA keys.
    ///
    /// - Parameter keys: the server's audit keys, as printed by `walletauth audit key`.
    /// - Returns: the document's claims.
    /// - Throws: `EvidenceFault`.
    public func verified(by keys: JWKSet) throws(EvidenceFault) -> OperationEvidenceClaims {
        try verified(by: keys) { try? RSAVerifier($0) }
    }
}
