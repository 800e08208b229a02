import Store

/// The totals of ``Store/ConnectionMetrics``, counted where they happen.
final class EngineCounters: Sendable {
    private let metrics = LockedValue(ConnectionMetrics())

    var current: ConnectionMetrics { metrics.withLock { $0 } }

    func count(_ total: WritableKeyPath<ConnectionMetrics, Int>, by step: Int = 1) {
        metrics.withLock { $0[keyPath: total] += step }
    }
}
