import Crypto
import Foundation

/// Device keys in software, kept in a secure store: for Linux, where no secure hardware is to be counted on, and for
/// simulators.
///
/// They prove possession of the store and nothing more: whoever copies the store has them, and using one asks nobody
/// for presence. They never stand for a biometric factor; on Linux ``NoUserPresence`` stands beside them, which offers none.
public struct SoftwareDeviceKeys: DeviceKeys {
    private let store: any SecureStore
    private let presence: (any UserPresence)?

    /// Keeps keys in a store.
    /// - Parameters:
    ///   - store: the same one as the session's will do; keys have names of their own in it.
    ///   - presence: asks for the holder where a key has to; nil makes no such keys. A server takes them in the sandbox
    ///     alone, since nothing but this program's own code keeps them from signing unasked.
    public init(store: any SecureStore, presence: (any UserPresence)? = nil) {
        self.store = store
        self.presence = presence
    }

    /// The key of that name, or nil when there is none.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` when what is kept is no key any more, `locked`, `failed`.
    public func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
        guard let bytes = try await failing({ try await store.get(Self.item(id)) }) else { return nil }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw DeviceKeyFailure(.invalidated, reason: "what is kept as \(id) is no P-256 key")
        }
        return SoftwareDeviceKey(key: key)
    }

    /// Makes a key of that name; it is on the disk before it can sign anything.
    /// - Throws: ``DeviceKeyFailure``.
    public func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
        let key = P256.Signing.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwareDeviceKey(key: key)
    }

    /// The key of that name that agrees on secrets, or nil when there is none.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` when what is kept is no key any more, `locked`, `failed`.
    public func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
        guard let bytes = try await failing({ try await store.get(Self.item(id)) }) else { return nil }
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
            throw DeviceKeyFailure(.invalidated, reason: "what is kept as \(id) is no P-256 key")
        }
        return SoftwareAgreementKey(key: key)
    }

    /// Makes a key of that name that agrees on secrets; it is on the disk before anything is agreed on.
    /// - Throws: ``DeviceKeyFailure``.
    public func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
        let key = P256.KeyAgreement.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwareAgreementKey(key: key)
    }

    /// The key of that name that asks for the holder before it signs, or nil when there is none.
    /// - Throws: ``DeviceKeyFailure``: `invalidated` when what is kept is no key any more, `locked`, `failed`.
    public func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
        guard let presence, let bytes = try await failing({ try await store.get(Self.item(id)) }) else { return nil }
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw DeviceKeyFailure(.invalidated, reason: "what is kept as \(id) is no P-256 key")
        }
        return SoftwarePresenceKey(key: key, presence: presence)
    }

    /// Makes a key of that name that asks for the holder before it signs.
    /// - Throws: ``DeviceKeyFailure``: `unsupported` where nobody can be asked by face or finger.
    public func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
        guard let presence, await presence.capability() == .biometrics else {
            throw DeviceKeyFailure(.unsupported, reason: "this device cannot ask for its holder by face or finger")
        }
        let key = P256.Signing.PrivateKey()
        try await failing { try await store.put(key.rawRepresentation, for: Self.item(id)) }
        return SoftwarePresenceKey(key: key, presence: presence)
    }

    /// Removes the key of that name.
    /// - Throws: ``DeviceKeyFailure``.
    public func removeKey(_ id: DeviceKeyID) async throws {
        try await failing { try await store.remove(Self.item(id)) }
    }

    private static func item(_ id: DeviceKeyID) -> SecureStoreKey { SecureStoreKey("key.\(id.name)") }

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
            throw DeviceKeyFailure(.failed, reason: "nothing could be agreed on with that public key")
        }
    }
}
