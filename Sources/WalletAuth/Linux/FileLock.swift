#if os(Linux)
    import Foundation

    /// A lock between processes, through `flock` on a file. It is free as soon as its holder releases it or dies.
    ///
    /// The file is never removed: a process waiting on a removed file would hold a lock that no other process sees.
    struct FileLock {
        private let file: OpenFile

        init(_ name: String, in folder: PrivateFolder) throws(SystemCallFailure) {
            file = try OpenFile(name, in: folder.file, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        }

        /// Takes the lock if it is free.
        func tryLock() throws(SystemCallFailure) -> Bool {
            try SystemCallFailure.check("flock", expecting: EWOULDBLOCK) { flock(file.descriptor, LOCK_EX | LOCK_NB) }
                != nil
        }

        /// Releases the lock. Child processes cannot hold it by accident, because they do not inherit descriptors.
        func unlock() { flock(file.descriptor, LOCK_UN) }

        /// Waits for the lock without blocking a thread.
        ///
        /// Polls, because a blocking `flock` cannot be cancelled; the pause grows to 50 ms. Within a process, an
        /// ``AsyncLock`` lets only one task get this far.
        /// - Throws: `CancellationError`; ``SecureStoreFailure`` of kind `busy` after `limit`.
        func lock(within limit: Duration) async throws {
            let deadline = ContinuousClock.now + limit
            var pause = Duration.milliseconds(1)
            while try !tryLock() {
                guard .now < deadline else { throw Self.busy(limit) }
                try await Task.sleep(for: pause, clock: .continuous)
                pause = min(pause * 2, .milliseconds(50))
            }
        }

        /// Waits for the lock on the calling thread, for work that takes a few milliseconds and must not be cancelled.
        /// - Throws: ``SecureStoreFailure`` of kind `busy` after `limit`.
        func lockBlocking(within limit: Duration) throws {
            let deadline = ContinuousClock.now + limit
            while try !tryLock() {
                guard .now < deadline else { throw Self.busy(limit) }
                usleep(1000)
            }
        }

        private static func busy(_ limit: Duration) -> SecureStoreFailure {
            SecureStoreFailure(.busy, reason: "another process has held the store for \(limit.components.seconds) s")
        }
    }
#endif
