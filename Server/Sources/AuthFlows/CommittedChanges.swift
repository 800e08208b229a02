package import AuthStore
internal import Synchronization

/// Wakes the requests that wait for a change of a row, once the change is committed.
///
/// A row is named by its id: a transaction, a device, an account. So a flow announces what it changed without knowing which flow
/// waits. It knows the changes of this process. A request that waits reads its row again at its end, so that it learns of a change
/// by another process late, and misses none.
package final class CommittedChanges: Sendable {
    struct State {
        var next = 0
        var waiting: [UniqueID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    let state = Mutex(State())

    init() {}

    /// The changes of rows from now on. Ask before reading what they say: a change in between counts.
    package func stream(of ids: [UniqueID]) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            for id in ids { state.waiting[id, default: [:]][state.next] = continuation }
            return state.next
        }
        continuation.onTermination = { [weak self] _ in self?.forget(number, of: ids) }
        return stream
    }

    /// Announces a committed change.
    package func changed(_ id: UniqueID) {
        let waiting = state.withLock { $0.waiting[id] }
        waiting?.values.forEach { $0.yield() }
    }

    /// Waits for a change that one of the streams tells of, for a time at most.
    package static func wait(for streams: [AsyncStream<Void>], atMost time: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            for stream in streams { group.addTask { for await _ in stream { return } } }
            // Cancelled with the group or with the request: either way the wait is over.
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
    }

    private func forget(_ number: Int, of ids: [UniqueID]) {
        state.withLock { state in
            for id in ids {
                state.waiting[id]?[number] = nil
                if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
            }
        }
    }
}
