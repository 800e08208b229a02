import Crypto
import Foundation
public import WalletAuth
import WalletAuthTransport

/// Device keys in memory. A test can lose, lock or invalidate them.
public final class InMemoryDeviceKeys: DeviceKeys {
    fileprivate struct State {
        var keys: [DeviceKeyID: P256.Signing.PrivateKey] = [:]
        var agreementKeys: [DeviceKeyID: P256.KeyAgreement.PrivateKey] = [:]
        var presenceKeys: [DeviceKeyID: P256.Signing.PrivateKey] = [:]
        var invalidated: Set<DeviceKeyID> = []
        var failure: DeviceKeyFailure.Kind?
    }

    private let state = LockedValue(State())

    /// The person whom presence keys ask for confirmation.
    public let presence: ScriptedUserPresence

    /// Creates an empty set of keys.
    ///
    /// - Parameter presence: the person whom presence keys ask; you can pass the wallet's own port.
    public init(presence: ScriptedUserPresence = ScriptedUserPresence()) {
        self.presence = presence
    }

    /// Returns the key with this name, or nil.
    ///
    /// - Parameter id: the key's name.
    /// - Throws: the `DeviceKeyFailure` that the test set.
    public func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
        try working { state in state.keys[id].map { InMemoryDeviceKey(key: $0, owner: self) } }
    }

    /// Creates a key with this name.
    ///
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: the `DeviceKeyFailure` that the test set.
    public func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
        try working { state in
            let key = P256.Signing.PrivateKey()
            state.keys[id] = key
            return InMemoryDeviceKey(key: key, owner: self)
        }
    }

    /// Returns the agreement key with this name, or nil.
    ///
    /// - Parameter id: the key's name.
    /// - Throws: the `DeviceKeyFailure` that the test set.
    public func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
        try working { state in state.agreementKeys[id].map { InMemoryAgreementKey(key: $0, owner: self) } }
    }

    /// Creates an agreement key with this name.
    ///
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: the `DeviceKeyFailure` that the test set.
    public func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
        try working { state in
            let key = P256.KeyAgreement.PrivateKey()
            state.agreementKeys[id] = key
            return InMemoryAgreementKey(key: key, owner: self)
        }
    }

    /// Returns the key with this name that asks ``presence`` before it signs, or nil.
    ///
    /// - Parameter id: the key's name.
    /// - Throws: the `DeviceKeyFailure` that the test set; `invalidated` after ``changeBiometrics()``.
    public func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
        try working { state in
            try state.checkPresence(id)
            return state.presenceKeys[id].map { InMemoryPresenceKey(id: id, key: $0, owner: self) }
        }
    }

    /// Creates a key with this name that asks ``presence`` before it signs.
    ///
    /// - Parameter id: the key's name.
    /// - Returns: the key.
    /// - Throws: the `DeviceKeyFailure` that the test set; `unsupported` if the device cannot ask the person.
    public func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
        guard await presence.capability() == .biometrics else {
            throw DeviceKeyFailure(.unsupported, reason: "the test's device has no biometrics")
        }
        return try working { state in
            let key = P256.Signing.PrivateKey()
            state.presenceKeys[id] = key
            state.invalidated.remove(id)
            return InMemoryPresenceKey(id: id, key: key, owner: self)
        }
    }

    private func working<T>(_ body: (inout State) throws -> T) throws -> T {
        try state.withLock { state in
            try state.check()
            return try body(&state)
        }
    }

    /// Adds a finger or a face to the device, which invalidates every existing presence key.
    public func changeBiometrics() {
        state.withLock { $0.invalidated.formUnion($0.presenceKeys.keys) }
    }

    /// Removes the key with this name.
    ///
    /// - Parameter id: the key's name.
    /// - Throws: the `DeviceKeyFailure` that the test set.
    public func removeKey(_ id: DeviceKeyID) async throws {
        try working { state in
            state.keys[id] = nil
            state.agreementKeys[id] = nil
            state.presenceKeys[id] = nil
            state.invalidated.remove(id)
        }
    }

    /// Loses every key, as when a backup is restored onto another device: the store's items are there, the keys are
    /// not.
    public func loseAll() {
        state.withLock { state in
            state.keys = [:]
            state.agreementKeys = [:]
            state.presenceKeys = [:]
            state.invalidated = []
        }
    }

    /// The failure of every operation from now on; nil restores the keys.
    public var failure: DeviceKeyFailure.Kind? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The names of the existing keys.
    public var names: Set<DeviceKeyID> {
        state.withLock { Set($0.keys.keys).union($0.agreementKeys.keys).union($0.presenceKeys.keys) }
    }

    fileprivate func check() throws {
        try state.withLock { try $0.check() }
    }

    fileprivate func checkPresence(_ id: DeviceKeyID) throws {
        try working { state in
            try state.checkPresence(id)
        }
    }
}

extension InMemoryDeviceKeys.State {
    fileprivate func check() throws(DeviceKeyFailure) {
        if let failure { throw DeviceKeyFailure(failure, reason: "the test made the keys fail") }
    }

    fileprivate func checkPresence(_ id: DeviceKeyID) throws(DeviceKeyFailure) {
        if invalidated.contains(id) {
            throw DeviceKeyFailure(.invalidated, reason: "the device's enrolled faces or fingers have changed")
        }
    }
}

private struct InMemoryDeviceKey: DeviceKey {
    let key: P256.Signing.PrivateKey
    let owner: InMemoryDeviceKeys

    var publicKey: Data { key.publicKey.x963Representation }

    func sign(_ message: Data) async throws -> Data {
        try owner.check()
        return try key.signature(for: message).rawRepresentation
    }
}

private struct InMemoryAgreementKey: DeviceAgreementKey {
    let key: P256.KeyAgreement.PrivateKey
    let owner: InMemoryDeviceKeys

    func sharedSecret(with publicKey: Data) async throws -> Data {
        try owner.check()
        guard let peer = try? P256.KeyAgreement.PublicKey(x963Representation: publicKey) else {
            throw DeviceKeyFailure(.failed, reason: "the data is not a P-256 public key")
        }
        return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
    }
}

private struct InMemoryPresenceKey: DevicePresenceKey {
    let id: DeviceKeyID
    let key: P256.Signing.PrivateKey
    let owner: InMemoryDeviceKeys

    var publicKey: Data { key.publicKey.x963Representation }

    func sign(_ message: Data, reason: String) async throws -> Data {
        try owner.checkPresence(id)
        do { try await owner.presence.confirm(reason: reason) } catch let failure as UserPresenceFailure {
            switch failure {
            case .refused: throw DeviceKeyFailure(.presenceRefused, reason: "the test's person declined")
            case .lockedOut: throw DeviceKeyFailure(.presenceLockedOut, reason: "the test's device is locked out")
            case .unavailable: throw DeviceKeyFailure(.unsupported, reason: "the test's device cannot ask")
            }
        }
        return try key.signature(for: message).rawRepresentation
    }
}
