#if canImport(Security)
    import Dispatch
    public import Foundation
    import Security

    /// A secure store in the keychain.
    ///
    /// Items are readable after the first unlock, so that tokens can be renewed in the background. They never leave
    /// this device: backups and the iCloud keychain omit them, and restoring onto another device does not bring them
    /// back.
    ///
    /// On macOS, the store uses the data protection keychain, which requires a signed app with a keychain access group.
    public struct KeychainStore: SecureStore {
        private let service: String
        private let accessGroup: String?
        private let locks: SharedFolderLocks
        /// Keychain calls can block, and the threads that run tasks are too few to wait for them.
        private let queue = DispatchQueue(label: "wallet-auth.keychain")

        /// Creates a store for one process, which locks within it only.
        ///
        /// Its items are in the app's default access group, the first in its entitlements. If an extension has that group
        /// too, use ``init(service:accessGroup:lockDirectory:)`` in both.
        /// - Parameter service: separates these items from the app's other items.
        public init(service: String) {
            self.service = service
            accessGroup = nil
            locks = SharedFolderLocks(directory: nil)
        }

        /// Creates a store that an app shares with its extensions. All of them pass the same values.
        ///
        /// iOS terminates an app that is suspended while it holds a lock in a shared container: request background time
        /// around the wallet's calls (`ProcessInfo.performExpiringActivity`). Nothing is lost either way.
        /// - Parameters:
        ///   - service: separates these items from the app's other items.
        ///   - accessGroup: the keychain access group, `TEAMID.name`.
        ///   - lockDirectory: a folder in the app group's container, through which the processes lock each other out.
        ///     Without it, two of them could renew the same token at once.
        public init(service: String, accessGroup: String, lockDirectory: URL) {
            self.service = service
            self.accessGroup = accessGroup
            locks = SharedFolderLocks(directory: lockDirectory)
        }

        /// Returns the value for `key`, or nil if there is none.
        /// - Parameter key: the value's name.
        /// - Throws: ``SecureStoreFailure``: `locked` before the device's first unlock.
        public func get(_ key: SecureStoreKey) async throws -> Data? {
            try await onQueue {
                var query = item(key)
                query[kSecReturnData as String] = true
                query[kSecMatchLimit as String] = kSecMatchLimitOne
                var result: CFTypeRef?
                let status = SecItemCopyMatching(query as CFDictionary, &result)
                if status == errSecItemNotFound { return nil }
                try check(status, "reading")
                guard let value = result as? Data else {
                    throw SecureStoreFailure(.damaged, reason: "the keychain item holds no data")
                }
                return value
            }
        }

        /// Stores `value` for `key`, replacing the former value atomically.
        /// - Parameters:
        ///   - value: at most a few kilobytes.
        ///   - key: the value's name.
        /// - Throws: ``SecureStoreFailure``.
        public func put(_ value: Data, for key: SecureStoreKey) async throws {
            try await onQueue {
                // The update sets accessibility too, so that items written by an older version of the app catch up.
                let attributes: [String: Any] = [
                    kSecValueData as String: value,
                    kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                ]
                func update() -> OSStatus { SecItemUpdate(item(key) as CFDictionary, attributes as CFDictionary) }
                var status = update()
                if status == errSecItemNotFound {
                    status = SecItemAdd(item(key).merging(attributes) { $1 } as CFDictionary, nil)
                    // Another process added the item first, so update it.
                    if status == errSecDuplicateItem { status = update() }
                }
                try check(status, "writing")
            }
        }

        /// Removes the value for `key`.
        /// - Parameter key: the value's name.
        /// - Throws: ``SecureStoreFailure``.
        public func remove(_ key: SecureStoreKey) async throws {
            try await onQueue {
                let status = SecItemDelete(item(key) as CFDictionary)
                if status != errSecItemNotFound { try check(status, "removing") }
            }
        }

        /// Runs `body` while holding a lock against other tasks and, with a lock folder, against other processes.
        /// - Parameters:
        ///   - lock: the lock to hold.
        ///   - body: runs at most once.
        /// - Returns: the result of `body`.
        /// - Throws: whatever `body` throws; `CancellationError`; ``SecureStoreFailure`` of kind `busy` after 90
        ///   seconds.
        public func withExclusiveLock<T: Sendable>(
            _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
        ) async throws -> T {
            try await locks.withLock(lock, body)
        }

        private func item(_ key: SecureStoreKey) -> [String: Any] {
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: key.name,
                kSecAttrSynchronizable as String: false,
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
            return item
        }

        private func check(_ status: OSStatus, _ what: String) throws {
            if status != errSecSuccess { throw SecureStoreFailure(keychain: status, while: what) }
        }

        private func onQueue<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try body() }) }
            }
        }
    }

    extension SecureStoreFailure {
        /// Maps a keychain status to a store failure.
        init(keychain status: OSStatus, while what: String) {
            let kind: Kind =
                switch status {
                // Happens before the first unlock, and while the keychain service is still starting.
                case errSecInteractionNotAllowed, errSecNotAvailable: .locked
                case errSecDiskFull: .full
                case errSecMissingEntitlement, errSecAuthFailed: .denied
                case errSecDecode: .damaged
                default: .failed
                }
            self.init(kind, reason: "the keychain returned \(status) while \(what)")
        }
    }
#endif
