package import Core
internal import Crypto

/// A key that is kept outside the database. One of them wraps every data key in it.
package struct MasterKey: Sendable, Equatable, CustomStringConvertible {
    private let key: SymmetricKey
    /// Says in the database which key wrapped a data key, and tells operators their keys apart. It reveals nothing of the key.
    package let id: KeyID

    /// - Parameter bytes: exactly 32 unpredictable bytes, otherwise `nil`.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        key = SymmetricKey(data: Array(bytes))
        let digest = HMAC<SHA256>.authenticationCode(for: Array("walletauth master key".utf8), using: key)
        guard let id = KeyID(bytes: Array(digest).prefix(4)) else { return nil }
        // The id 0 is taken: by what was wrapped before master keys had ids.
        self.id = id == Self.unnamed ? KeyID(1) : id
    }

    /// The id in what was wrapped before master keys had ids. Any of them may have wrapped it.
    static let unnamed = KeyID(0)

    package var description: String { "<redacted>" }

    /// - Parameter id: this key's, or ``unnamed`` in a database whose keys have none yet, for programs that know no other.
    func wrap(_ bytes: [UInt8], purpose: String, kid: Int64, as id: KeyID, nonce: [UInt8]) throws -> [UInt8] {
        try Sealing.seal(bytes, with: wrapping(as: id), context: Self.context(purpose, kid), nonce: nonce)
    }

    /// - Returns: `nil` if another master key wrapped it, or if it was altered.
    func unwrap(_ wrapped: [UInt8], purpose: String, kid: Int64) -> [UInt8]? {
        guard let named = Sealing.keyID(of: wrapped), named == id || named == Self.unnamed else { return nil }
        return Sealing.open(wrapped, with: wrapping(as: named), context: Self.context(purpose, kid))
    }

    private func wrapping(as id: KeyID) -> DataKey { DataKey(id: id, label: "master", key: key) }

    private static func context(_ purpose: String, _ kid: Int64) -> String { "data_keys|wrapped|\(purpose)|\(kid)" }
}

extension KeyID {
    /// A master key's name for operators: eight hexadecimal digits.
    package var masterKeyName: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
