import Store

/// The totals of ``Store/ConnectionMetrics``, counted where they happen.
final class EngineCounters: Sendable {
    private let metrics = LockedValue(ConnectionMetrics())

    var current: ConnectionMetrics { metrics.withLock { $0 } }

    func count(_ total: WritableKeyPath<ConnectionMetrics, Int>, by step: Int = 1) {
        metrics.withLock { $0[keyPath: total] += step }
    }
}

/// Since when each thread has been running its call. Bodies do not wait, so a call that takes long waits for the server.
final class RunningCalls: Sendable {
    private let since = LockedValue<[Int: ContinuousClock.Instant]>([:])

    func begin(_ thread: Int) { since.withLock { $0[thread] = .now } }

    func end(_ thread: Int) { since.withLock { $0[thread] = nil } }

    func count(longerThan time: Duration) -> Int {
        let limit = ContinuousClock.now - time
        return since.withLock { running in running.values.count { $0 < limit } }
    }
}
