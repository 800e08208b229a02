internal import Store
internal import Synchronization

/// Tells the deliveries of this process that something may wait for them, in the outbox or for webhooks.
package final class DeliverySignal: Sendable {
    private struct State: Sendable {
        var listeners: [AsyncStream<Void>.Continuation] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let written = Atomic<Int>(0)
    private let group: (any ProcessGroup)?

    /// - Parameter group: the processes that share the database, if several can.
    init(group: (any ProcessGroup)?) { self.group = group }

    /// Call this in the body of a write that has written something to deliver. ``DamageWatch`` wakes the deliveries once it is
    /// committed.
    package func noteWritten() { written.add(1, ordering: .relaxed) }

    /// Changes whenever something was written. A body that has written sees another number than before it, and so may a body that ran
    /// at the same time, whose wake-up is harmless.
    var writtenCount: Int { written.load(ordering: .relaxed) }

    /// Signals, after the commit, that there is something. A false signal is harmless.
    ///
    /// If this process does not deliver, such as that of a command, it notifies others. They look every second anyway.
    package func wake() {
        let isDelivering = state.withLock { !$0.listeners.isEmpty && !$0.isStopped }
        checkNow()
        if !isDelivering { group?.announce(.outbox) }
    }

    /// Makes this process look.
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
}
