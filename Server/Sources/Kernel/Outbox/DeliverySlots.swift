internal import Synchronization

/// The deliveries of a channel in progress. As one ends, the next message is taken, so that a slow recipient holds up no other.
///
/// Messages that failed before have at most half of the slots: recipients who were slow once do not keep new messages waiting.
final class DeliverySlots: Sendable {
    struct Free: Sendable {
        var all: Int
        /// Of these, for messages that failed before.
        var retried: Int
    }

    private struct State {
        var all = 0
        var retried = 0
    }

    private let number: Int
    private let state = Mutex(State())

    init(_ number: Int) { self.number = number }

    var free: Free {
        state.withLock { state in
            let all = number - state.all
            return Free(all: all, retried: max(0, min(all, number / 2 - state.retried)))
        }
    }

    func begin(_ record: OutboxRecord) { change(record, by: 1) }

    func end(_ record: OutboxRecord) { change(record, by: -1) }

    private func change(_ record: OutboxRecord, by step: Int) {
        state.withLock { state in
            state.all += step
            if record.isRetried { state.retried += step }
        }
    }
}

extension OutboxRecord {
    /// Whether an attempt failed before the one for which the message was taken.
    fileprivate var isRetried: Bool { attempts > 1 }
}
