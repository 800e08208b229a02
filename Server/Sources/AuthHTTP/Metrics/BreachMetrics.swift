import AuthFlows
import NIOCore

/// The searches for stolen passwords in the text format of Prometheus; nothing where no list is configured.
enum BreachMetrics {
    static func write(_ figures: [BreachFigures], to buffer: inout ByteBuffer) {
        guard !figures.isEmpty else { return }
        let name = "password_breach_checks_total"
        buffer.writeString("# HELP \(name) Searches for passwords in lists of stolen ones.\n# TYPE \(name) counter\n")
        for figure in figures {
            let outcomes = [
                ("found", figure.found), ("absent", figure.absent), ("failed", figure.failed),
                ("skipped", figure.skipped),
            ]
            for (outcome, count) in outcomes {
                buffer.writeString("\(name){list=\"\(figure.list)\",outcome=\"\(outcome)\"} \(count)\n")
            }
        }
    }
}
