package import AuthStore
internal import Synchronization

/// Wakes requests that wait for a row to change, once the change is committed.
///
/// The folder owns what one process remembers between requests. Nothing in it survives a restart.
///
/// A row is named by its id: a transaction, a device, an account. A flow announces a change without knowing who waits for it.
/// Only changes by this process are announced. A waiting request reads its row again at the end, so a change by another process
/// arrives late but is never missed.
package final class CommittedChanges: Sendable {
    struct State {
        var next = 0
        var waiting: [UniqueID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    let state = Mutex(State())

    init() {}

    /// A stream of changes to these rows from now on. Subscribe before reading the rows, so that a change in between is not
    /// lost.
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

    /// Call after the commit.
    package func changed(_ id: UniqueID) {
        let waiting = state.withLock { $0.waiting[id] }
        waiting?.values.forEach { $0.yield() }
    }

    /// Waits until one of the streams reports a change, or the time is up.
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
