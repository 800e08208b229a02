package import AuthCore

/// The key with which a device signs only after it recognized its holder.
package struct BiometricKeyRecord: Sendable, Hashable {
    /// The public half: the two coordinates of P-256, 64 bytes.
    package var publicKey: [UInt8]
    /// The storage of the private half, as far as it was attested.
    package var storage: KeyStorage
    /// Whether it was attested that the key signs only after the device recognized its holder.
    package var attestsPresence: Bool
    package var setAt: Timestamp

    package init(publicKey: [UInt8], storage: KeyStorage, attestsPresence: Bool, setAt: Timestamp) {
        self.publicKey = publicKey
        self.storage = storage
        self.attestsPresence = attestsPresence
        self.setAt = setAt
    }

    /// Reads the four columns from `position` on. Returns `nil` if there is no key.
    init?(_ row: SQLRow, from position: Int) throws {
        guard let key = try row.optionalBlob(position), let setAt = try row.optionalTime(position + 1) else {
            return nil
        }
        self.init(
            publicKey: key, storage: try row.name(position + 2),
            attestsPresence: try row.integer(position + 3) == 1, setAt: setAt)
    }
}
