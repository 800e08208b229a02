import AuthFlows
import NIOCore

/// What came of asking identity providers, in the text format of Prometheus; nothing where none was asked since the start. A label
/// is an identifier that an operator chose: letters, digits and `-._~`, which need no escaping.
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
