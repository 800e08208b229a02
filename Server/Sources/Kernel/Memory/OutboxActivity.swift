package import Core
internal import Store
internal import Synchronization

/// The outbox activity in this process: wake-ups for new messages, delivery counts, and the backlog as it was counted last.
package final class OutboxActivity: Sendable {
    /// The counts of a channel since the start of this process.
    package struct Counts: Sendable {
        package var delivered: UInt64 = 0
        package var postponed: UInt64 = 0
        package var failed: UInt64 = 0
    }

    /// What waits in the database, of each channel.
    package struct Backlog: Sendable {
        /// The messages of one channel, as `Outbox.waiting` counts them.
        package struct Messages: Sendable {
            package var due: Int64
            package var oldest: Timestamp?
            package var scheduled: Int64

            package init(due: Int64, oldest: Timestamp?, scheduled: Int64) {
                self.due = due
                self.oldest = oldest
                self.scheduled = scheduled
            }
        }

        package var messages: [OutboxChannel: Messages]
        package var countedAt = ContinuousClock.now

        package init(messages: [OutboxChannel: Messages]) { self.messages = messages }
    }

    private struct State: Sendable {
        var listeners: [AsyncStream<Void>.Continuation] = []
        var isStopped = false
        var counts: [OutboxChannel: Counts] = [:]
        var backlog: Backlog?
    }

    private let state = Mutex(State())
    private let group: (any ProcessGroup)?

    /// - Parameter group: the processes that share the database, if several can.
    init(group: (any ProcessGroup)? = nil) { self.group = group }

    /// Signals that there may be a new message. A false signal is harmless, so a transaction that rolls back may send it too. A
    /// listener reads in a later transaction.
    ///
    /// If this process does not deliver, such as that of a command, it notifies others. They look at the outbox every second
    /// anyway, so a notice that arrives before the commit costs at most that.
    package func wake() {
        let isDelivering = state.withLock { !$0.listeners.isEmpty && !$0.isStopped }
        checkNow()
        if !isDelivering { group?.announce(.outbox) }
    }

    /// Makes this process look at the outbox.
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

    package func count(_ channel: OutboxChannel, _ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts[channel, default: Counts()]) }
    }

    /// `nil` until it was counted.
    package var backlog: Backlog? { state.withLock { $0.backlog } }

    package func note(_ backlog: Backlog) { state.withLock { $0.backlog = backlog } }

    package func counts(of channel: OutboxChannel) -> Counts { state.withLock { $0.counts[channel] ?? Counts() } }
}
