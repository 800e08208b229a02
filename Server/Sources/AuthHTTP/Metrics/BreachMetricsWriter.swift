import AuthFoundation
import NIOCore

/// Lookups of breached passwords in the Prometheus text format. Empty if no list is configured.
enum BreachMetricsWriter {
    static func write(_ metrics: [BreachMetrics], to buffer: inout ByteBuffer) {
        guard !metrics.isEmpty else { return }
        let name = "password_breach_checks_total"
        buffer.writeString("# HELP \(name) Searches for passwords in lists of stolen ones.\n# TYPE \(name) counter\n")
        for metric in metrics {
            let outcomes = [
                ("found", metric.found), ("absent", metric.absent), ("failed", metric.failed),
                ("skipped", metric.skipped),
            ]
            for (outcome, count) in outcomes {
                buffer.writeString("\(name){list=\"\(metric.list)\",outcome=\"\(outcome)\"} \(count)\n")
            }
        }
    }
}
