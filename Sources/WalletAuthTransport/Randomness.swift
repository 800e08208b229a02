internal import WalletAuthWire

/// Bytes from the system's cryptographic random number generator.
package enum Randomness {
    package static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 128 random bits as base64url: for state, nonce, `jti`, attempts, idempotency keys and operation ids.
    package static func token() -> String { Base64URL.encode(bytes(16)) }
}
