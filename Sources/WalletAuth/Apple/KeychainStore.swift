#if canImport(Security)
    import Dispatch
    public import Foundation
    import Security

    /// A secure store in the keychain.
    ///
    /// Items are readable after the first unlock, so that tokens can be renewed in the background, and stay on this
    /// device: no backup and no iCloud keychain takes them along, and a restore onto another device does not bring them.
    ///
    /// On macOS the data protection keychain is used, which wants a signed app with a keychain access group.
    public struct KeychainStore: SecureStore {
        private let service: String
        private let accessGroup: String?
        private let locks: SharedFolderLocks
        /// The keychain answers when it likes; the threads that run tasks are too few to wait for it.
        private let queue = DispatchQueue(label: "wallet-auth.keychain")

        /// Names a store.
        /// - Parameters:
        ///   - service: separates these items from others of the app.
        ///   - accessGroup: the keychain access group that the app shares with its extensions, `TEAMID.name`; nil for the
        ///     app alone.
        ///   - lockDirectory: a folder in the app group's container, where the app and its extensions keep each other
        ///     waiting; nil excludes within this process only. iOS ends an app that is suspended while it holds such a
        ///     lock: an app that shares a store asks for background time around the wallet's calls
        ///     (`ProcessInfo.performExpiringActivity`). Nothing is lost either way.
        public init(service: String, accessGroup: String? = nil, lockDirectory: URL? = nil) {
            self.service = service
            self.accessGroup = accessGroup
            locks = SharedFolderLocks(directory: lockDirectory)
        }

        /// The value kept under `key`, or nil when there is none.
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

        /// Keeps `value` under `key`. The keychain replaces an item as a whole.
        /// - Throws: ``SecureStoreFailure``.
        public func put(_ value: Data, for key: SecureStoreKey) async throws {
            try await onQueue {
                // Accessibility goes into the update as well: an item of an older version of the app is brought up to it.
                let attributes: [String: Any] = [
                    kSecValueData as String: value,
                    kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                ]
                func update() -> OSStatus { SecItemUpdate(item(key) as CFDictionary, attributes as CFDictionary) }
                var status = update()
                if status == errSecItemNotFound {
                    status = SecItemAdd(item(key).merging(attributes) { $1 } as CFDictionary, nil)
                    // Another process was first: its item is there now, and is replaced.
                    if status == errSecDuplicateItem { status = update() }
                }
                try check(status, "writing")
            }
        }

        /// Removes what is kept under `key`.
        /// - Throws: ``SecureStoreFailure``.
        public func remove(_ key: SecureStoreKey) async throws {
            try await onQueue {
                let status = SecItemDelete(item(key) as CFDictionary)
                if status != errSecItemNotFound { try check(status, "removing") }
            }
        }

        /// Runs `body` while no other task, and with a lock folder no other process, runs one under the same lock.
        /// - Throws: what `body` throws; `CancellationError`; ``SecureStoreFailure`` of kind `busy` after 90 seconds.
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
        /// What a status of the keychain means for the store.
        init(keychain status: OSStatus, while what: String) {
            let kind: Kind =
                switch status {
                // Before the first unlock, and while the keychain's service is still starting.
                case errSecInteractionNotAllowed, errSecNotAvailable: .locked
                case errSecDiskFull: .full
                case errSecMissingEntitlement, errSecAuthFailed: .denied
                case errSecDecode: .damaged
                default: .failed
                }
            self.init(kind, reason: "the keychain answered \(status) while \(what)")
        }
    }
#endif
