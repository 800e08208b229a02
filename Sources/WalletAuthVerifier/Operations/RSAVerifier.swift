internal import Crypto
internal import CryptoExtras
public import WalletAuthWire

/// Verifies RS256, by which some passkeys sign. It is here and not in `WalletAuthWire`, since it brings BoringSSL along,
/// which no app needs.
public struct RSAVerifier: JWSVerifier {
    private let key: _RSA.Signing.PublicKey
    /// RS256.
    public var algorithm: SigningAlgorithm { .rs256 }
    /// The identifier by which headers name the key.
    public let keyID: String?

    /// - Parameter jwk: an RSA key; its size was checked when it was read.
    /// - Throws: `JOSEError` for a key of another kind.
    public init(_ jwk: JWK) throws(JOSEError) {
        guard case .rsa(let modulus, let exponent) = jwk.key else { throw .algorithmDoesNotFitKey }
        guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else {
            throw .keyNotAllowed("is no RSA key")
        }
        self.key = key
        keyID = jwk.keyID
    }

    /// Whether a signature of the modulus' length is right.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        // RFC 8017 §8.2.2: as many bytes as hold the modulus, whose bits need not fill them.
        guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
        return key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5)
    }
}

extension OperationEvidence {
    /// Verifies the document without asking anybody, as `WalletAuthWire` does, and signatures by RSA keys beside.
    /// - Parameter keys: the server's audit keys, as `walletauth audit key` printed them.
    /// - Returns: what it says.
    /// - Throws: `EvidenceFault`.
    public func verified(by keys: JWKSet) throws(EvidenceFault) -> OperationEvidenceClaims {
        try verified(by: keys) { try? RSAVerifier($0) }
    }
}
