#if canImport(Security) && canImport(CryptoKit) && canImport(LocalAuthentication) && !os(tvOS)
    import CryptoKit
    import Foundation
    import Security

    /// Device keys in the Secure Enclave.
    ///
    /// The enclave returns each key as an encrypted blob that only the same enclave can use; a secure store keeps the
    /// blob. The keys work after the device's first unlock and never ask for the person's presence: they sign proofs of
    /// possession (DPoP), in the background too, and derive the device's share of a PIN.
    public struct SecureEnclaveKeys: DeviceKeys {
        private let store: any SecureStore

        /// Creates a key provider.
        /// - Parameter store: keeps the keys' blobs; must be device-only, as ``KeychainStore`` is.
        public init(store: any SecureStore) {
            self.store = store
        }

        /// Returns the key with this name, or nil if there is none.
        /// - Parameter id: the key's name.
        /// - Throws: ``DeviceKeyFailure``: `invalidated` if this enclave cannot use it (the device was erased and
        ///   restored), `locked` before the first unlock.
        public func key(_ id: DeviceKeyID) async throws -> (any DeviceKey)? {
            guard let blob = try await keeping({ try await store.get(Self.item(id)) }) else { return nil }
            do {
                return try SecureEnclaveKey(SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: blob))
            } catch {
                throw DeviceKeyFailure(.invalidated, reason: "the enclave does not know the key \(id)")
            }
        }

        /// Creates a key with this name. Its blob is stored before the key can sign anything.
        /// - Parameter id: the key's name.
        /// - Returns: the key.
        /// - Throws: ``DeviceKeyFailure``: `unsupported` on a device without an enclave.
        public func createKey(_ id: DeviceKeyID) async throws -> any DeviceKey {
            let access = try Self.access(.privateKeyUsage)
            let key: SecureEnclaveKey
            do {
                key = try SecureEnclaveKey(SecureEnclave.P256.Signing.PrivateKey(accessControl: access))
            } catch {
                throw DeviceKeyFailure(enclave: error)
            }
            try await keeping { try await store.put(key.blob, for: Self.item(id)) }
            return key
        }

        /// Returns the key agreement key with this name, or nil if there is none.
        /// - Parameter id: the key's name.
        /// - Throws: ``DeviceKeyFailure``: `invalidated` if this enclave cannot use it, `locked` before the first
        ///   unlock.
        public func agreementKey(_ id: DeviceKeyID) async throws -> (any DeviceAgreementKey)? {
            guard let blob = try await keeping({ try await store.get(Self.item(id)) }) else { return nil }
            do {
                return SecureEnclaveAgreementKey(
                    try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: blob))
            } catch {
                throw DeviceKeyFailure(.invalidated, reason: "the enclave does not know the key \(id)")
            }
        }

        /// Creates a key agreement key with this name. Its blob is stored before the key is used.
        /// - Parameter id: the key's name.
        /// - Returns: the key.
        /// - Throws: ``DeviceKeyFailure``: `unsupported` on a device without an enclave.
        public func createAgreementKey(_ id: DeviceKeyID) async throws -> any DeviceAgreementKey {
            let access = try Self.access(.privateKeyUsage)
            let key: SecureEnclaveAgreementKey
            do {
                key = SecureEnclaveAgreementKey(
                    try SecureEnclave.P256.KeyAgreement.PrivateKey(accessControl: access))
            } catch {
                throw DeviceKeyFailure(enclave: error)
            }
            try await keeping { try await store.put(key.blob, for: Self.item(id)) }
            return key
        }

        /// Returns the biometric key with this name, or nil if there is none.
        /// - Parameter id: the key's name.
        /// - Throws: ``DeviceKeyFailure``: `invalidated` if this enclave cannot use it.
        public func presenceKey(_ id: DeviceKeyID) async throws -> (any DevicePresenceKey)? {
            guard let blob = try await keeping({ try await store.get(Self.item(id)) }) else { return nil }
            return try SecureEnclavePresenceKey(blob: blob)
        }

        /// Creates a key that signs only after face or fingerprint. Info.plist must contain `NSFaceIDUsageDescription`.
        /// - Parameter id: the key's name.
        /// - Returns: the key.
        /// - Throws: ``DeviceKeyFailure``: `unsupported` without an enclave, or if no face or fingerprint is set up.
        public func createPresenceKey(_ id: DeviceKeyID) async throws -> any DevicePresenceKey {
            let key = try SecureEnclavePresenceKey()
            try await keeping { try await store.put(key.blob, for: Self.item(id)) }
            return key
        }

        /// Removes the key with this name. Without its blob, nothing can use the key.
        /// - Parameter id: the key's name.
        /// - Throws: ``DeviceKeyFailure``.
        public func removeKey(_ id: DeviceKeyID) async throws {
            try await keeping { try await store.remove(Self.item(id)) }
        }

        /// The access control of a new key.
        private static func access(_ flags: SecAccessControlCreateFlags) throws -> SecAccessControl {
            guard SecureEnclave.isAvailable else {
                throw DeviceKeyFailure(.unsupported, reason: "this device has no Secure Enclave")
            }
            guard
                let access = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, flags, nil)
            else { throw DeviceKeyFailure(.failed, reason: "the key's access control could not be created") }
            return access
        }

        private static func item(_ id: DeviceKeyID) -> SecureStoreKey { SecureStoreKey("key.\(id.name)") }

        private func keeping<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
            do {
                return try await body()
            } catch let failure as SecureStoreFailure {
                throw DeviceKeyFailure(failure)
            }
        }
    }

    /// Holds the blob rather than the enclave's key: that type is not `Sendable` in every SDK, and opening it is cheap.
    private struct SecureEnclaveKey: DeviceKey {
        let blob: Data
        let publicKey: Data

        init(_ key: SecureEnclave.P256.Signing.PrivateKey) throws {
            blob = key.dataRepresentation
            publicKey = key.publicKey.x963Representation
        }

        func sign(_ message: Data) async throws -> Data {
            do {
                let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: blob)
                return try key.signature(for: message).rawRepresentation
            } catch {
                throw DeviceKeyFailure(enclave: error)
            }
        }
    }

    /// Holds the blob for the same reason as ``SecureEnclaveKey``.
    private struct SecureEnclaveAgreementKey: DeviceAgreementKey {
        let blob: Data

        init(_ key: SecureEnclave.P256.KeyAgreement.PrivateKey) {
            blob = key.dataRepresentation
        }

        func sharedSecret(with publicKey: Data) async throws -> Data {
            do {
                let key = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: blob)
                let peer = try P256.KeyAgreement.PublicKey(x963Representation: publicKey)
                return try key.sharedSecretFromKeyAgreement(with: peer).withUnsafeBytes { Data($0) }
            } catch {
                throw DeviceKeyFailure(enclave: error)
            }
        }
    }

    extension DeviceKeyFailure {
        /// Maps an error of the enclave; keychain statuses arrive as codes of `NSOSStatusErrorDomain`.
        fileprivate init(enclave error: any Error) {
            let code = (error as NSError).code
            let kind: Kind = code == Int(errSecInteractionNotAllowed) ? .locked : .failed
            self.init(kind, reason: "the Secure Enclave returned \(code)")
        }
    }
#endif
