/// A lock among the processes of this machine. The kernel releases it at the latest when its holder ends.
enum FileLock {
    /// Another process keeps the lock, for example because it is stopped.
    struct Held: Error, CustomStringConvertible {
        let path: String
        let patience: Duration

        var description: String {
            "another process has held the lock \(path) for \(patience.asSetting); `fuser \(path)` names it"
        }
    }

    private static let pauses = (first: Duration.milliseconds(10), longest: Duration.milliseconds(160))

    /// Runs `body` while no other process holds the lock.
    /// - Parameters:
    ///   - path: of a file for the lock alone. It stays: a process may wait for it.
    ///   - patience: how long to wait. A holder that is stopped (SIGSTOP, a debugger) never releases it.
    /// - Throws: ``Held``, `CancellationError`, `DurableFile.Failure`, or the error of `body`.
    static func holding<Value>(
        _ path: String, within patience: Duration, _ body: () throws -> Value
    ) async throws -> Value {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DurableFile.Failure() }
        defer { release(descriptor) }
        try await take(descriptor, of: path, within: patience)
        return try body()
    }

    /// Waits for the lock of an open file, which ``release(_:)`` releases.
    /// - Throws: ``Held``, `CancellationError` or `DurableFile.Failure`.
    static func take(_ descriptor: Int32, of path: String, within patience: Duration) async throws {
        let end = ContinuousClock.now + patience
        var pause = pauses.first
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw DurableFile.Failure() }
            guard ContinuousClock.now < end else { throw Held(path: path, patience: patience) }
            try await Task.sleep(for: pause)
            pause = min(pauses.longest, pause * 2)
        }
    }

    /// Releases the lock and closes its file. Closing it alone would not do: a child process has the descriptor too, from its fork until
    /// it runs its program.
    static func release(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
