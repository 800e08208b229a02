import WalletAuthWire

/// Bytes from the system's cryptographic random number generator.
enum Randomness {
    static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns 128 bits as base64url: for state, nonce, `jti`, attempt.
    static func token() -> String { Base64URL.encode(bytes(16)) }

    static func codeVerifier() -> CodeVerifier {
        guard let verifier = try? CodeVerifier(random: bytes(32)) else {
            preconditionFailure("32 bytes are what RFC 7636 §4.1 recommends")
        }
        return verifier
    }
}
