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
        var counts = Counts()
        var backlog: Backlog?
    }

    private let state = Mutex(State())
    package let signal: DeliverySignal

    /// - Parameter group: the processes that share the database, if several can.
    package init(group: (any ProcessGroup)? = nil) { signal = DeliverySignal(group: group) }

    package func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

    package func note(_ backlog: Backlog) { state.withLock { $0.backlog = backlog } }

    /// `nil` until it was counted.
    package var backlog: Backlog? { state.withLock { $0.backlog } }

    package var counts: Counts { state.withLock { $0.counts } }
}
