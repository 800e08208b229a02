#if os(Linux)
    import Dispatch
    public import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A secure store in a folder of encrypted files, for Linux, where no keychain is to be counted on.
    ///
    /// - The folder has mode 0700, the files 0600; a store that other users could write to is refused.
    /// - Each item is sealed with AES-256-GCM under a random key in the file `key`, and bound to its name.
    /// - An item is replaced by writing the new one beside it, `fsync`, rename and `fsync` of the folder: kill the process
    ///   or cut the power at any moment, and the old value or the new one is there, whole.
    /// - Locks are `flock`s, which die with their process.
    ///
    /// What it protects from: other users of the machine, and backups or disks that lack the key file. What it does not
    /// protect from: whoever can read the user's files can read the key file as well. A key in hardware is what would
    /// help, and a bearer of the SDK's ``SecureStore`` port may use one.
    ///
    /// The folder must be on a local disk, or on a network file system whose `flock` works.
    public struct EncryptedFileStore: SecureStore {
        private let path: String
        private let lockLimit: Duration
        private let reached: @Sendable (PrivateFolder.Step) -> Void
        /// Files are read and written here: the threads that run tasks are too few to wait for disks.
        private let queue = DispatchQueue(label: "wallet-auth.file-store")
        private let gates = Protected<[SecureStoreLock: AsyncLock]>([:])

        /// Names a store. Nothing is read or made yet; the folder is made by the first write.
        /// - Parameters:
        ///   - directory: the store's own folder.
        ///   - lockLimit: how long to wait for a lock, at least 60 seconds.
        public init(directory: URL, lockLimit: Duration = .seconds(90)) {
            self.init(directory: directory, lockLimit: max(lockLimit, .seconds(60))) { _ in }
        }

        /// For tests that kill the process, or make another wait, at a step.
        init(directory: URL, lockLimit: Duration, reached: @escaping @Sendable (PrivateFolder.Step) -> Void) {
            path = directory.standardizedFileURL.path
            self.lockLimit = lockLimit
            self.reached = reached
        }

        /// The value kept under `key`, or nil when there is none.
        /// - Throws: ``SecureStoreFailure``: `damaged` when the file or the key cannot open it, `denied` when other users
        ///   could read it or this one cannot, `locked` when the folder is on an encrypted disk that is locked.
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

        /// Keeps `value` under `key`. After it returned, the value is on the disk.
        /// - Throws: ``SecureStoreFailure``: `full` when there is no room, `busy`, `denied`, `damaged` when the key file
        ///   is. The former value is still there, save where the disk failed while it took the folder's new state.
        public func put(_ value: Data, for key: SecureStoreKey) async throws {
            try await onQueue {
                let name = try Self.fileName(key)
                let folder = try PrivateFolder.openOrCreate(path)
                try Self.writing(in: folder) {
                    let sealed = try Self.cipher(in: folder).seal(value, name: key.name)
                    guard sealed.count <= PrivateFolder.maximumBytes else {
                        throw SecureStoreFailure(.failed, reason: "\(key) is too large to be kept")
                    }
                    try folder.replace(name, with: sealed, reached: reached)
                }
            }
        }

        /// Removes what is kept under `key`.
        /// - Throws: ``SecureStoreFailure``.
        public func remove(_ key: SecureStoreKey) async throws {
            try await onQueue {
                let name = try Self.fileName(key)
                guard let folder = try PrivateFolder.open(path) else { return }
                try Self.writing(in: folder) { try folder.remove(name) }
            }
        }

        /// Runs `body` while no other process or task that shares the folder runs one under the same lock. It is not
        /// reentrant: a body that asks for its own lock waits until the limit.
        /// - Throws: what `body` throws; `CancellationError`; ``SecureStoreFailure`` of kind `busy` after the limit.
        public func withExclusiveLock<T: Sendable>(
            _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
        ) async throws -> T {
            let gate = gates.withLock { gates in
                let gate = gates[lock] ?? AsyncLock()
                gates[lock] = gate
                return gate
            }
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
        /// Between processes; a write takes milliseconds, so this long means that somebody is stuck.
        private static let writeLimit = Duration.seconds(10)

        private static func fileName(_ key: SecureStoreKey) throws(SecureStoreFailure) -> String {
            guard (1...200).contains(key.name.utf8.count) else {
                throw SecureStoreFailure(.failed, reason: "the name of an item is 1 to 200 characters long")
            }
            return key.name + ".item"
        }

        private static func writing(in folder: PrivateFolder, _ body: () throws -> Void) throws {
            // No item's and no lock's file has a name that begins like this one and ends otherwise.
            let lock = try FileLock("writing", in: folder)
            try lock.lockBlocking(within: writeLimit)
            defer { lock.unlock() }
            try body()
        }

        /// The store's cipher; its key is made by the first write. A key is never replaced: other items need it.
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
        /// What a failed call to the kernel means for the store.
        init(_ failure: SystemCallFailure, path: String) {
            let kind: Kind =
                switch failure.number {
                case ENOSPC, EDQUOT, EFBIG: .full
                case EACCES, EPERM, EROFS, ELOOP: .denied
                // What an encrypted folder (fscrypt) answers before it was unlocked.
                case ENOKEY: .locked
                default: .failed
                }
            self.init(kind, reason: "\(failure.call) in \(path): \(failure.text)")
        }
    }
#endif
