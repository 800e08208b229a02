import AuthFoundation
import NIOCore

/// Requests to identity providers and their results in the Prometheus text format. Empty before the first request. The
/// operator chooses the identifiers in the labels; they contain letters, digits and `-._~` and need no escaping.
enum ProviderMetricsWriter {
    static func write(_ metrics: [ProviderMetrics], to buffer: inout ByteBuffer) {
        guard !metrics.isEmpty else { return }
        let name = "identity_provider_verifications_total"
        buffer.writeString(
            "# HELP \(name) Questions to identity providers about people who sign in.\n# TYPE \(name) counter\n")
        for metric in metrics {
            let outcomes = [
                ("ok", metric.ok), ("refused", metric.refused), ("unavailable", metric.unavailable),
            ]
            for (outcome, count) in outcomes {
                buffer.writeString(
                    "\(name){brand=\"\(metric.brand)\",provider=\"\(metric.provider)\",outcome=\"\(outcome)\"} \(count)\n"
                )
            }
        }
    }
}
