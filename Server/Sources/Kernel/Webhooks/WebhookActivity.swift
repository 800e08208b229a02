package import Store
internal import Synchronization

/// The webhooks of this process: wake-ups for events that were committed, and counts.
package final class WebhookActivity: Sendable {
    /// Since the start of this process.
    package struct Counts: Sendable {
        package var delivered: UInt64 = 0
        package var failed: UInt64 = 0
        /// Given up, because too many waited.
        package var dropped: UInt64 = 0
    }

    /// What the database had when it was counted last.
    package struct Backlog: Sendable {
        package var waiting: Int64
        package var disabled: Int64

        package init(waiting: Int64, disabled: Int64) {
            self.waiting = waiting
            self.disabled = disabled
        }
    }

    private struct State: Sendable {
        var listeners: [AsyncStream<Void>.Continuation] = []
        var isStopped = false
        var counts = Counts()
        var backlog: Backlog?
    }

    private let state = Mutex(State())
    private let written = Atomic<Int>(0)
    private let group: (any ProcessGroup)?

    /// - Parameter group: the processes that share the database, if several can.
    package init(group: (any ProcessGroup)? = nil) { self.group = group }

    /// Call this in the body of a write that has written a row.
    package func noteWritten() { written.add(1, ordering: .relaxed) }

    /// Changes whenever a row was written. A body that has written one sees another number than before it, and so may a body that ran
    /// at the same time, whose wake-up is harmless.
    package var writtenCount: Int { written.load(ordering: .relaxed) }

    /// Signals, after the commit, that there is an event. A process that does not deliver, such as that of a command, notifies
    /// others.
    package func wake() {
        let isDelivering = state.withLock { !$0.listeners.isEmpty && !$0.isStopped }
        checkNow()
        if !isDelivering { group?.announce(.outbox) }
    }

    /// Makes this process look for events.
    package func checkNow() {
        let listeners = state.withLock { $0.listeners }
        listeners.forEach { $0.yield() }
    }

    /// Yields at least once after each ``wake()`` or ``checkNow()``; ends with ``stop()``.
    package func wakes() -> AsyncStream<Void> {
        let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isStopped = state.withLock { state in
            state.listeners.append(listener)
            return state.isStopped
        }
        listener.yield()
        if isStopped { listener.finish() }
        return stream
    }

    /// Ends all streams. Deliveries in progress continue.
    package func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            return state.listeners
        }
        listeners.forEach { $0.finish() }
    }

    package var isStopped: Bool { state.withLock { $0.isStopped } }

    package func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

    package func note(_ backlog: Backlog) { state.withLock { $0.backlog = backlog } }

    /// `nil` until it was counted.
    package var backlog: Backlog? { state.withLock { $0.backlog } }

    package var counts: Counts { state.withLock { $0.counts } }
}
