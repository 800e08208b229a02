internal import WalletAuthWire

extension PasskeyKey {
    /// Verifies a signature with the key's own algorithm.
    /// - Parameter signature: as the authenticator encodes it: DER for ES256, 64 bytes for Ed25519, the modulus' length
    ///   for RS256.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        isValid(signature, for: bytes) { try? RS256Verifier($0) }
    }
}
