package import Core

/// Finds people by a phone number that is sealed at rest.
package enum PhoneDigest {
    /// The digest under which a number is stored.
    /// - Parameter number: in the form of E.164.
    package static func make(_ number: String, brand: String, under keyRing: KeyRing) throws -> [UInt8] {
        make(number, brand: brand, key: try keyRing.active(.attempts))
    }

    /// The digests under which a number may be stored: by the active key, and by those before it.
    package static func all(_ number: String, brand: String, now: Timestamp, under keyRing: KeyRing) -> [[UInt8]] {
        keyRing.keys(.attempts, at: now).map { make(number, brand: brand, key: $0) }
    }

    private static func make(_ number: String, brand: String, key: DataKey) -> [UInt8] {
        Digests.keyed("guest-phone", [brand, number], key: key)
    }
}
