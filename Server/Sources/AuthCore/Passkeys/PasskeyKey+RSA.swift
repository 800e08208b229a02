internal import WalletAuthWire

extension PasskeyKey {
    /// Whether a signature is this key's, whichever algorithm it signs by.
    /// - Parameters:
    ///   - signature: as the authenticator gave it: DER for ES256, 64 bytes for Ed25519, the modulus' length for RS256.
    ///   - bytes: what was signed.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        isValid(signature, for: bytes) { try? RS256Verifier($0) }
    }
}
