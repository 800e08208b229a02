package import Crypto

/// One data key, unwrapped.
package struct DataKey: Sendable {
    /// Which key of its purpose it is.
    package let id: KeyID
    /// What it is for: bound into everything that it seals.
    package let label: String
    /// The key itself; never sealed with directly.
    package let key: SymmetricKey

    /// - Parameters:
    ///   - id: which key of its purpose it is.
    ///   - label: what it is for: a ``KeyPurpose``, or what the master key is used as.
    ///   - key: 32 bytes.
    package init(id: KeyID, label: String, key: SymmetricKey) {
        self.id = id
        self.label = label
        self.key = key
    }
}

/// The one format of everything that is sealed: version, key id, nonce, ciphertext with tag.
///
/// Each message is sealed under a key of its own, derived from the data key and 16 random bytes, so that no number of
/// messages wears the data key out: codes and pages are sealed by the billion.
package enum Sealing {
    /// How many random bytes each message needs.
    package static let nonceLength = 16
    /// How many bytes longer than the plaintext a sealed message is.
    package static let overhead = 1 + 4 + nonceLength + 16

    private static let version: UInt8 = 1

    /// Seals a message.
    /// - Parameters:
    ///   - plaintext: what to hide.
    ///   - key: the active key of the purpose.
    ///   - context: what the message belongs to, beside the purpose: at rest, table, column and row. It has to be given
    ///     again to open it, so a ciphertext moved elsewhere does not open.
    ///   - nonce: ``nonceLength`` random bytes, never used before.
    /// - Returns: the sealed bytes.
    /// - Throws: only what the cryptographic library throws for a key or nonce of a wrong length.
    package static func seal(_ plaintext: [UInt8], with key: DataKey, context: String, nonce: [UInt8]) throws -> [UInt8]
    {
        let (messageKey, messageNonce) = try derive(from: key, context: context, nonce: nonce)
        var sealed = [version] + key.id.bytes + nonce
        let box = try AES.GCM.seal(plaintext, using: messageKey, nonce: messageNonce, authenticating: sealed)
        sealed.append(contentsOf: box.ciphertext)
        sealed.append(contentsOf: box.tag)
        return sealed
    }

    /// The id of the key that a message was sealed with; `nil` when it is no sealed message.
    package static func keyID(of sealed: [UInt8]) -> KeyID? {
        guard sealed.count >= overhead, sealed[0] == version else { return nil }
        return KeyID(bytes: sealed[1..<5])
    }

    /// Opens a message.
    /// - Parameters:
    ///   - sealed: the sealed bytes; may come from anywhere.
    ///   - key: the key that ``keyID(of:)`` names.
    ///   - context: as given when it was sealed.
    /// - Returns: the plaintext, or `nil` when any bit of message, key or context is another.
    package static func open(_ sealed: [UInt8], with key: DataKey, context: String) -> [UInt8]? {
        guard keyID(of: sealed) == key.id else { return nil }
        let header = sealed[..<(5 + nonceLength)]
        let body = sealed[(5 + nonceLength)...]
        guard
            let (messageKey, messageNonce) = try? derive(
                from: key, context: context, nonce: Array(header.dropFirst(5))),
            let box = try? AES.GCM.SealedBox(
                nonce: messageNonce, ciphertext: body.dropLast(16), tag: body.suffix(16)),
            let plaintext = try? AES.GCM.open(box, using: messageKey, authenticating: header)
        else { return nil }
        return Array(plaintext)
    }

    private static func derive(
        from key: DataKey, context: String, nonce: [UInt8]
    ) throws -> (SymmetricKey, AES.GCM.Nonce) {
        let info = Array(key.label.utf8) + [0] + Array(context.utf8)
        let material = HKDF<SHA256>.deriveKey(inputKeyMaterial: key.key, salt: nonce, info: info, outputByteCount: 44)
        return try material.withUnsafeBytes { bytes in
            (SymmetricKey(data: bytes.prefix(32)), try AES.GCM.Nonce(data: bytes.suffix(12)))
        }
    }
}
