#if os(Linux)
    import Dispatch
    public import Foundation
    import WalletAuthTransport

    /// A secure store in a folder of encrypted files, for Linux, where no keychain can be relied on.
    ///
    /// - The folder has mode 0700, the files 0600. A store that other users could write to is refused.
    /// - Each item is sealed with AES-256-GCM under a random key in the file `key`, and bound to its name.
    /// - An item is replaced by writing a new file, `fsync`, rename and `fsync` of the folder. If the process is killed
    ///   or the power fails at any moment, the old value or the new one is there in full.
    /// - Locks are `flock`s, which the kernel releases when their process ends.
    ///
    /// The store protects from other users of the machine, and from backups or disks without the key file. It does not
    /// protect from a program that can read the user's files, because that program can read the key file as well. Only
    /// a key in hardware would help; an adapter of the ``SecureStore`` port can use one.
    ///
    /// The folder must be on a local disk, or on a network file system with a working `flock`.
    public struct EncryptedFileStore: SecureStore {
        private let path: String
        private let lockLimit: Duration
        private let writeLimit: Duration
        private let reached: @Sendable (PrivateFolder.Step) -> Void
        /// Reads and writes files here: the threads that run tasks are too few to wait for disks.
        private let queue = DispatchQueue(label: "wallet-auth.file-store")
        private let gates = AsyncLocks<SecureStoreLock>()

        /// Creates a store. Nothing is read or created yet; the first write creates the folder.
        /// - Parameters:
        ///   - directory: the store's own folder.
        ///   - lockLimit: how long to wait for a lock, at least 60 seconds.
        public init(directory: URL, lockLimit: Duration = .seconds(90)) {
            self.init(directory: directory, lockLimit: max(lockLimit, .seconds(60))) { _ in }
        }

        /// For tests that kill the process, or make another wait, at a given step.
        init(
            directory: URL, lockLimit: Duration, writeLimit: Duration = Self.usualWriteLimit,
            reached: @escaping @Sendable (PrivateFolder.Step) -> Void
        ) {
            path = directory.standardizedFileURL.path
            self.lockLimit = lockLimit
            self.writeLimit = writeLimit
            self.reached = reached
        }

        /// Returns the value for `key`, or nil if there is none.
        /// - Parameter key: the value's name.
        /// - Throws: ``SecureStoreFailure``: `damaged` if the file or the key cannot open it, `denied` if other users
        ///   could read it or this one cannot, `locked` if the folder is on an encrypted disk that is locked.
        public func get(_ key: SecureStoreKey) async throws -> Data? {
            try await onQueue {
                let name = try Self.fileName(key)
                guard let folder = try PrivateFolder.open(path), let sealed = try folder.read(name) else { return nil }
                guard let secret = try folder.read(Self.keyFile) else {
                    throw SecureStoreFailure(.damaged, reason: "the key file \(path)/\(Self.keyFile) is gone")
                }
                return try StoreCipher(key: secret).open(sealed, name: key.name)
            }
        }

        /// Stores `value` for `key`. Once this returns, the value is on disk.
        /// - Parameters:
        ///   - value: at most a few kilobytes.
        ///   - key: the value's name.
        /// - Throws: ``SecureStoreFailure``: `full` if there is no room, `busy`, `denied`, `damaged` if the key file is
        ///   damaged. The former value remains, unless the disk failed while it stored the folder's new state.
        public func put(_ value: Data, for key: SecureStoreKey) async throws {
            try await onQueue {
                let name = try Self.fileName(key)
                let folder = try PrivateFolder.openOrCreate(path)
                try writing(in: folder) {
                    let sealed = try Self.cipher(in: folder).seal(value, name: key.name)
                    guard sealed.count <= PrivateFolder.maximumBytes else {
                        throw SecureStoreFailure(.failed, reason: "\(key) is too large to store")
                    }
                    try folder.replace(name, with: sealed, reached: reached)
                }
            }
        }

        /// Removes the value for `key`.
        /// - Parameter key: the value's name.
        /// - Throws: ``SecureStoreFailure``.
        public func remove(_ key: SecureStoreKey) async throws {
            try await onQueue {
                let name = try Self.fileName(key)
                guard let folder = try PrivateFolder.open(path) else { return }
                try writing(in: folder) { try folder.remove(name) }
            }
        }

        /// Runs `body` while holding a lock against all processes and tasks that share the folder. The lock is not
        /// reentrant: a body that takes its own lock waits until the limit.
        /// - Parameters:
        ///   - lock: the lock to hold.
        ///   - body: runs at most once.
        /// - Returns: the result of `body`.
        /// - Throws: whatever `body` throws; `CancellationError`; ``SecureStoreFailure`` of kind `busy` after the
        ///   limit.
        public func withExclusiveLock<T: Sendable>(
            _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
        ) async throws -> T {
            let gate = gates[lock]
            guard try await gate.acquire(within: lockLimit) else {
                throw SecureStoreFailure(.busy, reason: "another task has held \(lock) for too long")
            }
            defer { gate.release() }
            let fileLock = try await onQueue {
                try FileLock("\(lock.name).lock", in: PrivateFolder.openOrCreate(path))
            }
            try await translatingFailures { try await fileLock.lock(within: lockLimit) }
            defer { fileLock.unlock() }
            return try await body()
        }
    }

    extension EncryptedFileStore {
        private static let keyFile = "key"
        /// Between processes. A write takes milliseconds, so a wait this long means that another process is stuck. A busy
        /// machine may stop one for some seconds.
        private static let usualWriteLimit = Duration.seconds(60)

        private static func fileName(_ key: SecureStoreKey) throws(SecureStoreFailure) -> String {
            guard (1...200).contains(key.name.utf8.count) else {
                throw SecureStoreFailure(.failed, reason: "an item's name must be 1 to 200 characters long")
            }
            return key.name + ".item"
        }

        private func writing(in folder: PrivateFolder, _ body: () throws -> Void) throws {
            // No item or lock file has a name with this prefix and another ending.
            let lock = try FileLock("writing", in: folder)
            try lock.lockBlocking(within: writeLimit)
            defer { lock.unlock() }
            try body()
        }

        /// The store's cipher. The first write creates its key, which is never replaced, because the other items need
        /// it.
        private static func cipher(in folder: PrivateFolder) throws -> StoreCipher {
            if let key = try folder.read(keyFile) { return try StoreCipher(key: key) }
            let key = StoreCipher.newKey()
            if try folder.create(keyFile, with: key) { return try StoreCipher(key: key) }
            return try StoreCipher(key: folder.read(keyFile) ?? [])
        }

        private func onQueue<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
            try await translatingFailures {
                try await withCheckedThrowingContinuation { continuation in
                    queue.async { continuation.resume(with: Result { try body() }) }
                }
            }
        }

        private func translatingFailures<T>(_ body: () async throws -> T) async throws -> T {
            do {
                return try await body()
            } catch let failure as SystemCallFailure {
                throw SecureStoreFailure(failure, path: path)
            }
        }
    }

    extension SecureStoreFailure {
        /// Maps a failed system call to a store failure.
        init(_ failure: SystemCallFailure, path: String) {
            let kind: Kind =
                switch failure.number {
                case ENOSPC, EDQUOT, EFBIG: .full
                case EACCES, EPERM, EROFS, ELOOP: .denied
                // The error of an encrypted folder (fscrypt) before it is unlocked.
                case ENOKEY: .locked
                default: .failed
                }
            self.init(kind, reason: "\(failure.call) in \(path): \(failure.text)")
        }
    }
#endif
