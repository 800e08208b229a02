internal import Crypto

/// The data that an authenticator signs (WebAuthn §6.1).
public struct AuthenticatorData: Sendable, Hashable {
    /// A new key.
    public struct Credential: Sendable, Hashable {
        /// The claimed model of the authenticator: 16 bytes.
        public var model: [UInt8]
        /// The key's identifier.
        public var id: [UInt8]
        /// The public key.
        public var key: PasskeyKey
        /// The public key as encoded by the authenticator.
        public var encodedKey: [UInt8]
    }

    /// SHA-256 of the relying party's id.
    public let relyingParty: [UInt8]
    /// Whether a person touched the authenticator.
    public let isUserPresent: Bool
    /// Whether the authenticator verified the person: PIN, fingerprint, face.
    public let isUserVerified: Bool
    /// Whether the key can be copied to other devices (a synced passkey).
    public let isBackupEligible: Bool
    /// Whether it has been copied.
    public let isBackedUp: Bool
    /// How often the key has signed; 0 if it does not count.
    public let counter: UInt32
    /// The new key, in a registration.
    public let credential: Credential?

    private enum Flag {
        static let userPresent: UInt8 = 0x01
        static let userVerified: UInt8 = 0x04
        static let backupEligible: UInt8 = 0x08
        static let backedUp: UInt8 = 0x10
        static let credential: UInt8 = 0x40
        static let extensions: UInt8 = 0x80
    }

    private static let shortest = 37

    /// The lengths of a credential's id: at least the 16 bytes of WebAuthn's definition, at most the limit of §7.1.
    public static let credentialIDs = 16...1023

    /// Parses the fixed layout; nothing may follow it.
    /// - Parameter bytes: the bytes that the authenticator signed.
    /// - Throws: ``PasskeyFault/malformed(_:)``, and faults of a credential's key.
    public init(_ bytes: [UInt8]) throws(PasskeyFault) {
        guard bytes.count >= Self.shortest, bytes.count <= CBORReader.limit else {
            throw .malformed("the authenticator data are too short or too long")
        }
        relyingParty = Array(bytes[..<32])
        let flags = bytes[32]
        isUserPresent = flags & Flag.userPresent != 0
        isUserVerified = flags & Flag.userVerified != 0
        isBackupEligible = flags & Flag.backupEligible != 0
        isBackedUp = flags & Flag.backedUp != 0
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var position = Self.shortest
        if flags & Flag.credential != 0 {
            let (found, end) = try Self.credential(in: bytes, at: position)
            credential = found
            position = end
        } else {
            credential = nil
        }
        if flags & Flag.extensions != 0 {
            // Extensions are ignored, but must be well-formed as part of the layout.
            var reader = CBORReader(bytes, at: position)
            guard try reader.value().map != nil else { throw .malformed("the extensions are not a map") }
            position = reader.position
        }
        guard position == bytes.count else { throw .malformed("something follows the authenticator data") }
    }

    /// The attested credential data (§6.5.1), and the position after them.
    private static func credential(
        in bytes: [UInt8], at start: Int
    ) throws(PasskeyFault) -> (Credential, end: Int) {
        let idStart = start + 18
        guard bytes.count >= idStart else { throw .malformed("the credential's data end too early") }
        let length = Int(bytes[start + 16]) << 8 | Int(bytes[start + 17])
        guard credentialIDs.contains(length), bytes.count - idStart >= length else {
            throw .malformed("the credential's id is too short or too long")
        }
        var reader = CBORReader(bytes, at: idStart + length)
        let key = try PasskeyKey(reader.value())
        let credential = Credential(
            model: Array(bytes[start..<start + 16]), id: Array(bytes[idStart..<idStart + length]), key: key,
            encodedKey: Array(bytes[(idStart + length)..<reader.position]))
        return (credential, reader.position)
    }
}

extension AuthenticatorData {
    /// Checks what both ceremonies require, except who was present.
    /// - Parameter party: the site.
    /// - Throws: the first fault.
    public func check(_ party: PasskeyRelyingParty) throws(PasskeyFault) {
        guard ConstantTime.equal(relyingParty, Array(SHA256.hash(data: Array(party.id.utf8)))) else {
            throw .wrongRelyingParty
        }
        guard isUserPresent else { throw .userNotPresent }
        guard isBackupEligible || !isBackedUp else { throw .inconsistentBackup }
    }
}
