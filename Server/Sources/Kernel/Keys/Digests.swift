package import Core
internal import Crypto
package import WalletAuthWire

/// Digests under which secrets are looked up. Each has a label, so that a digest of one kind never equals one of another.
package enum Digests {
    /// SHA-256, for high-entropy bytes.
    package static func of(_ label: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array(label.utf8) + [0] + bytes))
    }

    /// A keyed digest, for values that could be guessed, such as names and addresses.
    package static func keyed(_ label: String, _ parts: [String], key: DataKey) -> [UInt8] {
        // No part contains a zero byte: they are checked names, identifiers and addresses.
        let message = ([label] + parts).joined(separator: "\0")
        return Array(HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: key.key))
    }
}

extension IdempotencyKey {
    /// The stored form, because a backend may put anything into its key.
    package var digest: String { Base64URL.encode(Digests.of("idempotency-key", Array(rawValue.utf8))) }
}
