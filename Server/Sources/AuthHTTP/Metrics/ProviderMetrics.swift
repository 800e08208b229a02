import AuthFlows
import NIOCore

/// What came of asking identity providers, in the text format of Prometheus; nothing where none was asked since the start. A label
/// is an identifier that an operator chose: letters, digits and `-._~`, which need no escaping.
enum ProviderMetrics {
    static func write(_ figures: [ProviderFigures], to buffer: inout ByteBuffer) {
        guard !figures.isEmpty else { return }
        let name = "identity_provider_verifications_total"
        buffer.writeString(
            "# HELP \(name) Questions to identity providers about people who sign in.\n# TYPE \(name) counter\n")
        for figure in figures {
            let outcomes = [
                ("ok", figure.ok), ("refused", figure.refused), ("unavailable", figure.unavailable),
            ]
            for (outcome, count) in outcomes {
                buffer.writeString(
                    "\(name){brand=\"\(figure.brand)\",provider=\"\(figure.provider)\",outcome=\"\(outcome)\"} \(count)\n"
                )
            }
        }
    }
}
