#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A lock that processes share, through `flock` on a file. It is free as soon as its holder lets go of it or dies.
    ///
    /// The file is never removed: whoever waits on a removed file holds a lock that nobody else sees.
    struct FileLock {
        private let file: OpenFile

        init(_ name: String, in folder: PrivateFolder) throws(SystemCallFailure) {
            file = try OpenFile(name, in: folder.file, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        }

        /// Takes the lock if nobody holds it.
        func tryLock() throws(SystemCallFailure) -> Bool {
            try SystemCallFailure.check("flock", expecting: EWOULDBLOCK) { flock(file.descriptor, LOCK_EX | LOCK_NB) }
                != nil
        }

        /// Lets go. A program that this one started in between cannot hold it by accident: descriptors are not inherited.
        func unlock() { flock(file.descriptor, LOCK_UN) }

        /// Waits for the lock without blocking a thread.
        ///
        /// `flock` cannot wait and be cancelled, so the lock is asked for again after a pause that grows to 50 ms; within
        /// one process an ``AsyncLock`` has let only one task get this far.
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

        /// Waits for the lock on the calling thread, for what takes a few milliseconds and must not be cancelled.
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
