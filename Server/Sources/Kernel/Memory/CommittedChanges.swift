package import Store
internal import Synchronization

/// Wakes requests that wait for a row to change, once the change is committed.
///
/// This folder owns what one process remembers between requests. Nothing in it survives a restart.
///
/// A row is named by its id: a transaction, a device, an account. A flow announces a change without knowing who waits for it.
/// Processes on the same database notify each other. A notice may get lost, so with a group a waiting
/// request also looks at its rows every few seconds.
package final class CommittedChanges: Sendable {
    /// Lets time pass for the requests that wait.
    package typealias Sleep = @Sendable (Duration) async throws -> Void

    package static let passingTime: Sleep = { try await Task.sleep(for: $0) }

    struct State {
        var next = 0
        var waiting: [UniqueID: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    let state = Mutex(State())
    private let group: (any ProcessGroup)?
    private let sleep: Sleep

    /// How often a waiting request looks at its rows if other processes may change them.
    static let lookInterval = Duration.seconds(5)

    /// - Parameter group: the processes that share the database, if several can.
    init(group: (any ProcessGroup)?, sleep: @escaping Sleep) {
        self.group = group
        self.sleep = sleep
    }

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
        wake(id)
        group?.announce(.row(id))
    }

    /// Wakes the requests of this process that wait for a row.
    func wake(_ id: UniqueID) {
        let waiting = state.withLock { $0.waiting[id] }
        waiting?.values.forEach { $0.yield() }
    }

    /// Wakes every waiting request of this process.
    func wakeAll() {
        let waiting = state.withLock { Array($0.waiting.values) }
        for requests in waiting { requests.values.forEach { $0.yield() } }
    }

    /// Waits until one of the streams reports a change, or the time is up.
    /// - Parameter hasChanged: looks at the rows. It is called only if other processes may change them.
    package func wait(
        for streams: [AsyncStream<Void>], atMost time: Duration,
        orUntil hasChanged: @escaping @Sendable () async -> Bool
    ) async {
        await withTaskGroup(of: Void.self) { tasks in
            for stream in streams { tasks.addTask { for await _ in stream { return } } }
            // Cancelled with the group or with the request: either way the wait is over.
            tasks.addTask { try? await self.sleep(time) }
            if group != nil {
                tasks.addTask {
                    repeat {
                        do { try await self.sleep(Self.lookInterval) } catch { return }
                    } while await !hasChanged()
                }
            }
            await tasks.next()
            tasks.cancelAll()
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
