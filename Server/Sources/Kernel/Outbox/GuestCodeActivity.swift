internal import Synchronization

/// Counts the codes for guests that were not sent since the start of this process, by the limit that was reached.
package final class GuestCodeActivity: Sendable {
    private let counts = Mutex<[String: UInt64]>([:])

    init() {}

    package func countHeld(by limit: String) {
        counts.withLock { $0[limit, default: 0] += 1 }
    }

    /// In alphabetic order.
    package var held: [(limit: String, count: UInt64)] {
        counts.withLock { $0.map { (limit: $0.key, count: $0.value) } }.sorted { $0.limit < $1.limit }
    }
}
