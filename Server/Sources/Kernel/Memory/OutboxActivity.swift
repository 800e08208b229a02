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
        var counts: [OutboxChannel: Counts] = [:]
        var backlog: Backlog?
        var retries = 0
    }

    private let state = Mutex(State())
    package let signal: DeliverySignal

    /// - Parameter group: the processes that share the database, if several can.
    init(group: (any ProcessGroup)? = nil) { signal = DeliverySignal(group: group) }

    package func count(_ channel: OutboxChannel, _ change: (inout Counts) -> Void) {
        state.withLock { change(&$0.counts[channel, default: Counts()]) }
    }

    /// How many messages operators have made due at once, in this process. After another one, no pause is waited for.
    package var retries: Int { state.withLock { $0.retries } }

    package func noteRetry() { state.withLock { $0.retries += 1 } }

    /// `nil` until it was counted.
    package var backlog: Backlog? { state.withLock { $0.backlog } }

    package func note(_ backlog: Backlog) { state.withLock { $0.backlog = backlog } }

    package func counts(of channel: OutboxChannel) -> Counts { state.withLock { $0.counts[channel] ?? Counts() } }
}
