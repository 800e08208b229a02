internal import AuthStore
internal import Synchronization

/// Wakes the requests that wait for a change of a transaction, once the change is committed.
///
/// It knows the changes of this process. A request that waits reads the row again at its end, so that it learns
/// of a change by another process late, and misses none.
final class TransactionChanges: Sendable {
    struct State {
        var next = 0
        var waiting: [UniqueID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    let state = Mutex(State())

    /// The changes of a transaction from now on. Ask before reading the row: a change in between counts.
    func stream(of id: UniqueID) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.waiting[id, default: [:]][state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number, of: id) }
        return stream
    }

    /// Tells of a committed change.
    func changed(_ id: UniqueID) {
        let waiting = state.withLock { $0.waiting[id] }
        waiting?.values.forEach { $0.yield() }
    }

    /// Waits for a change, for a time at most.
    static func wait(for stream: AsyncStream<Void>, atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream { return } }
            // Cancelled with the group or with the request: either way the wait is over.
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func forget(_ number: Int, of id: UniqueID) {
        state.withLock { state in
            state.waiting[id]?[number] = nil
            if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
        }
    }
}
