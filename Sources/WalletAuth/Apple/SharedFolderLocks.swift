#if canImport(Security)
    import Foundation
    import WalletAuthTransport

    /// Locks between the tasks of a process and, through `flock` in a shared folder, between an app and its extensions.
    struct SharedFolderLocks: Sendable {
        private static let limit = Duration.seconds(90)

        private let directory: URL?
        private let gates = AsyncLocks<SecureStoreLock>()

        init(directory: URL?) {
            self.directory = directory
        }

        func withLock<T: Sendable>(
            _ lock: SecureStoreLock, _ body: @Sendable () async throws -> T
        ) async throws -> T {
            let gate = gates[lock]
            guard try await gate.acquire(within: Self.limit) else { throw Self.busy }
            defer { gate.release() }
            guard let directory else { return try await body() }
            let descriptor = try Self.openFile(directory.appendingPathComponent("\(lock.name).lock"))
            // Closing the file releases the lock, and so does a crash.
            defer { close(descriptor) }
            try await Self.wait(descriptor)
            return try await body()
        }

        private static func openFile(_ file: URL) throws -> Int32 {
            try? FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                let number = errno
                let isFull = number == ENOSPC || number == EDQUOT
                throw SecureStoreFailure(
                    isFull ? .full : .denied, reason: "the lock file cannot be opened: errno \(number)")
            }
            return descriptor
        }

        /// Polls, because a blocking `flock` cannot be cancelled. The pause grows to 50 ms.
        private static func wait(_ descriptor: Int32) async throws {
            let deadline = ContinuousClock.now + limit
            var pause = Duration.milliseconds(1)
            while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                guard errno == EWOULDBLOCK || errno == EINTR else {
                    throw SecureStoreFailure(.failed, reason: "the lock file cannot be locked: errno \(errno)")
                }
                guard .now < deadline else { throw busy }
                try await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, .milliseconds(50))
            }
        }

        private static var busy: SecureStoreFailure {
            SecureStoreFailure(.busy, reason: "the lock has been held for \(limit.components.seconds) s")
        }
    }
#endif
