/// Admits one task at a time, or a fixed number, in the order of arrival. Waiting blocks no thread and ends when the
/// task is cancelled.
package final class AsyncLock: Sendable {
    private struct State {
        var free: Int
        var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
        var cancelled: Set<UInt64> = []
        var lastID: UInt64 = 0
    }

    private let state: LockedValue<State>

    /// Creates a free lock.
    /// - Parameter places: how many tasks may hold it at once.
    package init(places: Int = 1) {
        state = LockedValue(State(free: max(1, places)))
    }

    /// Runs `body` while holding the lock.
    /// - Throws: `CancellationError` if the task was cancelled while it waited; whatever `body` throws.
    package func withLock<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await acquire()
        defer { release() }
        return try await body()
    }

    /// Waits for the lock. Balance each call with one ``release()``.
    /// - Throws: `CancellationError` if the task was cancelled meanwhile; it then does not hold the lock.
    package func acquire() async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let verdict: Result<Void, any Error>? = state.withLock { state in
                    // The handler below may have run before there was a continuation to resume.
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if state.free > 0 {
                        state.free -= 1
                        return .success(())
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let verdict { continuation.resume(with: verdict) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(throwing: CancellationError())
        }
        // A cancellation after the lock was granted left its mark, which no one else would remove.
        state.withLock { state in _ = state.cancelled.remove(id) }
    }

    /// Like ``acquire()``, with a limit.
    /// - Returns: whether the task holds the lock.
    package func acquire(within limit: Duration) async throws -> Bool {
        // A free lock is granted at once, however busy the machine is.
        try Task.checkCancellation()
        if tryAcquire() { return true }
        let isAcquired = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await self.acquire()) != nil }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .continuous)
                return false
            }
            // Both results are read: the lock may be granted at the moment the time runs out.
            var isAcquired = false
            for await answer in group {
                isAcquired = isAcquired || answer
                group.cancelAll()
            }
            return isAcquired
        }
        if !isAcquired { try Task.checkCancellation() }
        return isAcquired
    }

    private func tryAcquire() -> Bool {
        state.withLock { state in
            guard state.free > 0 else { return false }
            state.free -= 1
            return true
        }
    }

    /// Passes the lock to the task that has waited longest.
    package func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard !state.waiters.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume()
    }
}

/// A lock for each key, created at its first use and kept.
package final class AsyncLocks<Key: Hashable & Sendable>: Sendable {
    private let locks = LockedValue<[Key: AsyncLock]>([:])

    package init() {}

    package subscript(key: Key) -> AsyncLock {
        locks.withLock { locks in
            let lock = locks[key] ?? AsyncLock()
            locks[key] = lock
            return lock
        }
    }
}
