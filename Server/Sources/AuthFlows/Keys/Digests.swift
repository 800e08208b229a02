package import AuthCore
internal import Crypto

/// Digests under which secrets are looked up, each with a label, so that the digest of one kind is never that of another.
package enum Digests {
    /// SHA-256 of high-entropy bytes.
    package static func of(_ label: String, _ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array(label.utf8) + [0] + bytes))
    }

    /// A keyed digest of what could be guessed, such as names and addresses.
    package static func keyed(_ label: String, _ parts: [String], key: DataKey) -> [UInt8] {
        // No part holds a zero byte: they are names, identifiers and addresses that were checked.
        let message = ([label] + parts).joined(separator: "\0")
        return Array(HMAC<SHA256>.authenticationCode(for: Array(message.utf8), using: key.key))
    }
}
