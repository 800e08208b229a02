package import Core

/// Finds people by a phone number that is sealed at rest.
package enum PhoneDigest {
    /// The digest under which a number is stored.
    /// - Parameter number: in the form of E.164.
    package static func make(_ number: String, brand: String, in context: ServerContext) throws -> [UInt8] {
        make(number, brand: brand, key: try context.keyRing.active(.attempts))
    }

    /// The digests under which a number may be stored: by the active key, and by those before it.
    package static func all(_ number: String, brand: String, now: Timestamp, in context: ServerContext) -> [[UInt8]] {
        context.keyRing.keys(.attempts, at: now).map { make(number, brand: brand, key: $0) }
    }

    private static func make(_ number: String, brand: String, key: DataKey) -> [UInt8] {
        Digests.keyed("guest-phone", [brand, number], key: key)
    }
}
