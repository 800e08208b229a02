package import Crypto

/// An unwrapped data key.
package struct DataKey: Sendable {
    package let id: KeyID
    /// The purpose, bound into everything that the key seals: a ``KeyPurpose``, or a use of the master key.
    package let label: String
    /// Only derives keys; it never seals directly.
    package let key: SymmetricKey

    package init(id: KeyID, label: String, key: SymmetricKey) {
        self.id = id
        self.label = label
        self.key = key
    }
}

/// The one format of sealed messages: version, key id, nonce, ciphertext with tag.
///
/// Each message has its own key, derived from the data key and 16 random bytes. The number of messages therefore does
/// not wear out the data key, although codes and pages are sealed by the billion.
package enum Sealing {
    /// The random bytes that each message needs.
    package static let nonceLength = 16
    /// The bytes by which a sealed message is longer than its plaintext.
    package static let overhead = 1 + 4 + nonceLength + 16

    private static let version: UInt8 = 1

    /// Seals a message.
    /// - Parameters:
    ///   - key: the active key of the purpose.
    ///   - context: the place of the message: at rest, its table, column and row. Opening requires the same context, so
    ///     a ciphertext moved elsewhere does not open.
    ///   - nonce: ``nonceLength`` random bytes, never used before.
    /// - Throws: only errors of the cryptographic library, for a key or nonce of the wrong length.
    package static func seal(_ plaintext: [UInt8], with key: DataKey, context: String, nonce: [UInt8]) throws -> [UInt8]
    {
        let (messageKey, messageNonce) = derive(from: key, context: context, nonce: nonce)
        var sealed: [UInt8] = []
        sealed.reserveCapacity(plaintext.count + overhead)
        sealed.append(version)
        sealed += key.id.bytes
        sealed += nonce
        let box = try AES.GCM.seal(
            plaintext, using: messageKey, nonce: AES.GCM.Nonce(data: messageNonce), authenticating: sealed)
        sealed.append(contentsOf: box.ciphertext)
        sealed.append(contentsOf: box.tag)
        return sealed
    }

    /// The id of the sealing key; `nil` if this is not a sealed message.
    package static func keyID(of sealed: [UInt8]) -> KeyID? {
        guard sealed.count >= overhead, sealed[0] == version else { return nil }
        return KeyID(bytes: sealed[1..<5])
    }

    /// Opens a message from any source.
    /// - Parameters:
    ///   - key: the key that ``keyID(of:)`` names.
    ///   - context: the context of ``seal(_:with:context:nonce:)``.
    /// - Returns: `nil` if any bit of message, key or context differs.
    package static func open(_ sealed: [UInt8], with key: DataKey, context: String) -> [UInt8]? {
        guard keyID(of: sealed) == key.id else { return nil }
        let header = sealed[..<(5 + nonceLength)]
        let (messageKey, messageNonce) = derive(from: key, context: context, nonce: Array(header.dropFirst(5)))
        // The library's own form: nonce, ciphertext, tag.
        let combined: [UInt8] = messageNonce + sealed[(5 + nonceLength)...]
        guard let box = try? AES.GCM.SealedBox(combined: combined),
            let plaintext = try? AES.GCM.open(box, using: messageKey, authenticating: header)
        else { return nil }
        return Array(plaintext)
    }

    /// HKDF's first 44 bytes: the message's key and nonce.
    private static func derive(
        from key: DataKey, context: String, nonce: [UInt8]
    ) -> (key: SymmetricKey, nonce: [UInt8]) {
        let info = Array(key.label.utf8) + [0] + Array(context.utf8)
        let blocks = KeyDerivation.blocks(of: key.key, salt: nonce, info: info)
        return (SymmetricKey(data: blocks.first), blocks.second.withUnsafeBytes { Array($0.prefix(12)) })
    }
}
