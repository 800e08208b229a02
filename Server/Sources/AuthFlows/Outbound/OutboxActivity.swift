internal import AuthStore
internal import Synchronization

/// What goes on at the outbox in this process: who waits for messages to be written, and what became of them.
final class OutboxActivity: Sendable {
    /// What became of the messages of a channel since the start.
    struct Counts: Sendable {
        var delivered: UInt64 = 0
        var postponed: UInt64 = 0
        var failed: UInt64 = 0
    }

    private struct State: Sendable {
        var listeners: [AsyncStream<Void>.Continuation] = []
        var isStopped = false
        var counts: [OutboxChannel: Counts] = [:]
    }

    private let state = Mutex(State())

    /// A message may be there. Harmless where there is none, so it may be said inside a transaction that comes to nothing;
    /// whoever looks then looks in a transaction after it.
    func wake() {
        let listeners = state.withLock { $0.listeners }
        listeners.forEach { $0.yield() }
    }

    /// Each time that ``wake()`` is called, at least once after it; ends with ``stop()``.
    func wakes() -> AsyncStream<Void> {
        let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isStopped = state.withLock { state in
            state.listeners.append(listener)
            return state.isStopped
        }
        listener.yield()
        if isStopped { listener.finish() }
        return stream
    }

    /// Ends the waiting: no more is taken, and what is under way goes on.
    func stop() {
        let listeners = state.withLock { state in
            state.isStopped = true
            return state.listeners
        }
        listeners.forEach { $0.finish() }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func count(_ channel: OutboxChannel, _ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts[channel, default: Counts()]) }
    }

    func counts(of channel: OutboxChannel) -> Counts { state.withLock { $0.counts[channel] ?? Counts() } }
}
