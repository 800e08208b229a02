internal import Store
internal import Synchronization

/// Tells the deliveries of this process that something may wait for them, in the outbox or for webhooks.
package final class DeliverySignal: Sendable {
    private struct State: Sendable {
        var listeners: [AsyncStream<Void>.Continuation] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let group: (any ProcessGroup)?

    /// - Parameter group: the processes that share the database, if several can.
    init(group: (any ProcessGroup)?) { self.group = group }

    /// Signals that something may be new. A false signal is harmless, so a transaction that rolls back may send it too. A listener
    /// reads in a later transaction.
    ///
    /// If this process does not deliver, such as that of a command, it notifies others. They look every second anyway, so a notice that
    /// arrives before the commit costs at most that.
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
