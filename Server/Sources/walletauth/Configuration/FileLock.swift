#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock among the processes of this machine. The kernel releases it at the latest when its holder ends.
enum FileLock {
    /// Runs `body` while no other process holds the lock.
    /// - Parameter path: of a file for the lock alone. It stays: a process may wait for it.
    static func holding<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DurableFile.Failure() }
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw DurableFile.Failure() }
        }
        return try body()
    }
}
