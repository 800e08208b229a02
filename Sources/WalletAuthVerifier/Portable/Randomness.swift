internal import WalletAuthWire

/// Bytes from the system's cryptographic random number generator.
enum Randomness {
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// 128 random bits as base64url, for `jti`, idempotency keys and operation ids.
    static func token() -> String { Base64URL.encode(bytes(16)) }
}
