import Crypto
import Foundation

/// Device keys in software, kept in a secure store: for Linux, where no secure hardware can be relied on, and for
/// simulators.
///
/// They prove possession of the store and nothing more. A copy of the store contains them, and using one requires no
/// presence. They never count as a biometric factor; on Linux, use them with ``NoUserPresence``, which offers none.
public struct SoftwareDeviceKeys: DeviceKeys {
    private let store: any SecureStore
    private let presence: (any UserPresence)?

    /// Creates a key provider.
    /// - Parameters:
    ///   - store: keeps the keys under names of their own; can be the session's store.
    ///   - presence: asks for the device's owner before a biometric key signs; nil supports no such keys. A server in production
    ///     accepts them only on the word of an attested app, because only this program's own code keeps them from signing without
    ///     asking.
    public init(store: any SecureStore, presence: (any UserPresence)? = nil) {
        self.store = store
        self.presence = presence
    }

    /// Returns the key with this name, or nil if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` if the stored item is not a key, `locked`, `failed`.
    public func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
        try await stored(id) { SoftwareDeviceKey(key: try P256.Signing.PrivateKey(rawRepresentation: $0)) }
    }

    /// Creates a key with this name. It is on disk before it can sign anything.
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: ``DeviceKeyFailure``.
    public func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
        let key = P256.Signing.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwareDeviceKey(key: key)
    }

    /// Returns the key agreement key with this name, or nil if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` if the stored item is not a key, `locked`, `failed`.
    public func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
        try await stored(id) { SoftwareAgreementKey(key: try P256.KeyAgreement.PrivateKey(rawRepresentation: $0)) }
    }

    /// Creates a key agreement key with this name. It is on disk before it is used.
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: ``DeviceKeyFailure``.
    public func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
        let key = P256.KeyAgreement.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwareAgreementKey(key: key)
    }

    /// Returns the biometric key with this name, or nil if there is none.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` if the stored item is not a key, `locked`, `failed`.
    public func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
        guard let presence else { return nil }
        return try await stored(id) {
            SoftwarePresenceKey(key: try P256.Signing.PrivateKey(rawRepresentation: $0), presence: presence)
        }
    }

    /// Creates a key that signs only after a check for the device's owner.
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: ``DeviceKeyFailure``: `unsupported` if the device cannot check face or fingerprint.
    public func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
        guard let presence, await presence.capability() == .biometrics else {
            throw DeviceKeyFailure(.unsupported, reason: "this device cannot check face or fingerprint")
        }
        let key = P256.Signing.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwarePresenceKey(key: key, presence: presence)
    }

    /// Removes the key with this name.
    /// - Parameter id: the key's name.
    /// - Throws: ``DeviceKeyFailure``.
    public func removeKey(_ id: DeviceKeyID) async throws {
        try await failing { try await store.remove(Self.item(id)) }
    }

    private static func item(_ id: DeviceKeyID) -> SecureStoreKey { SecureStoreKey("key.\(id.name)") }

    private func stored<Key>(_ id: DeviceKeyID, _ make: (Data) throws -> Key) async throws -> Key? {
        guard let bytes = try await failing({ try await store.get(Self.item(id)) }) else { return nil }
        guard let key = try? make(bytes) else {
            throw DeviceKeyFailure(.invalidated, reason: "the item stored as \(id) is not a P-256 key")
        }
        return key
    }

    private func failing<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let failure as SecureStoreFailure {
            throw DeviceKeyFailure(failure)
        }
    }
}

private struct SoftwareDeviceKey: DeviceKey {
    let key: P256.Signing.PrivateKey

    var publicKey: Data { key.publicKey.x963Representation }

    func sign(_ message: Data) async throws -> Data {
        do {
            return try key.signature(for: message).rawRepresentation
        } catch {
            throw DeviceKeyFailure(.failed, reason: "the key could not sign")
        }
    }
}

private struct SoftwareAgreementKey: DeviceAgreementKey {
    let key: P256.KeyAgreement.PrivateKey

    func sharedSecret(with publicKey: Data) async throws -> Data {
        do {
            let peer = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
            return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
        } catch {
            throw DeviceKeyFailure(.failed, reason: "key agreement with that public key failed")
        }
    }
}

/// A key in software that checks for the device's owner before it signs. Only this code ties the two together, so no
/// server outside the sandbox accepts it as a biometric factor.
struct SoftwarePresenceKey: DevicePresenceKey {
    let key: P256.Signing.PrivateKey
    let presence: any UserPresence

    var publicKey: Data { key.publicKey.x963Representation }

    func sign(_ message: Data, reason: String) async throws -> Data {
        do {
            try await presence.confirm(reason: reason)
        } catch let failure as UserPresenceFailure {
            throw DeviceKeyFailure(failure)
        }
        return try await SoftwareDeviceKey(key: key).sign(message)
    }
}
