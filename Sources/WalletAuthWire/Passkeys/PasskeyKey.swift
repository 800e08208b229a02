internal import Crypto

/// A passkey's public key, as a COSE_Key (RFC 9052 §7, RFC 9053 §7, RFC 8230 §4) of one of the offered algorithms.
public struct PasskeyKey: Sendable, Hashable {
    /// Its algorithm.
    public let algorithm: PasskeyAlgorithm
    /// The key itself.
    public let key: JWK

    /// Parses a key.
    /// - Parameter encoded: the COSE_Key's bytes, with nothing after them.
    /// - Throws: ``PasskeyFault`` of the first check that fails.
    public init(encoded: [UInt8]) throws(PasskeyFault) {
        try self.init(CBORReader.value(of: encoded))
    }

    /// WebAuthn §6.5.1.1: `alg` and the members of its kind, and no others; so never a private half.
    init(_ value: CBORValue) throws(PasskeyFault) {
        guard let members = value.map else { throw .malformed("the COSE key is not a map") }
        func integer(_ label: Int64) -> Int64? { members[.integer(label)]?.integer }
        func bytes(_ label: Int64) -> [UInt8]? { members[.integer(label)]?.bytes }
        guard let algorithm = integer(3).flatMap(PasskeyAlgorithm.init(rawValue:)) else {
            throw .unsupportedAlgorithm
        }
        let kind: (type: Int64, curve: Int64?, members: Int)
        let found: JWK.Key?
        switch algorithm {
        case .es256:
            kind = (2, 1, 5)
            if let x = bytes(-2), let y = bytes(-3) { found = .p256(x: x, y: y) } else { found = nil }
        case .edDSA:
            kind = (1, 6, 4)
            found = bytes(-2).map { .ed25519(x: $0) }
        case .rs256:
            kind = (3, nil, 4)
            if let n = bytes(-1), let e = bytes(-2) { found = .rsa(modulus: n, exponent: e) } else { found = nil }
        }
        guard integer(1) == kind.type, kind.curve == nil || integer(-1) == kind.curve, members.count == kind.members,
            let found, let key = try? JWK(found)
        else { throw .unusableKey }
        self.algorithm = algorithm
        self.key = key
    }

    /// Whether a signature is by this key.
    /// - Parameters:
    ///   - signature: from the authenticator: DER for ES256, 64 bytes for Ed25519, the modulus' length for RS256.
    ///   - bytes: the signed bytes.
    ///   - rsaVerifier: creates a verifier for an RSA key, which this module cannot do; `nil` from it counts as a wrong
    ///     signature.
    public func isValid(
        _ signature: [UInt8], for bytes: [UInt8], rsaVerifier: (JWK) -> (any JWSVerifier)?
    ) -> Bool {
        switch key.key {
        case .p256(let x, let y):
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: bytes))
        case .ed25519(let x):
            return (try? Curve25519.Signing.PublicKey(rawRepresentation: x))?.isValidSignature(signature, for: bytes)
                ?? false
        case .rsa: return rsaVerifier(key)?.isValid(signature, for: bytes) ?? false
        }
    }
}

/// The offered algorithms of passkeys with their COSE numbers (RFC 9053, RFC 8812), in order of preference.
public enum PasskeyAlgorithm: Int64, Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519.
    case edDSA = -8
    /// RSASSA-PKCS1-v1_5 with SHA-256: used by some Windows machines.
    case rs256 = -257
}
