import AuthCore
import AuthEvents
import NIOCore

/// Message delivery in the Prometheus text format: totals since the start, and messages waiting now.
enum OutboxMetricsWriter {
    static func write(_ channels: [OutboxMetrics], to buffer: inout ByteBuffer) {
        let metrics: [(name: String, help: String, type: String, value: (OutboxMetrics) -> String)] = [
            ("outbox_delivered_total", "Messages delivered.", "counter", { "\($0.delivered)" }),
            ("outbox_postponed_total", "Attempts that failed and will be repeated.", "counter", { "\($0.postponed)" }),
            ("outbox_failed_total", "Messages given up.", "counter", { "\($0.failed)" }),
            ("outbox_waiting", "Messages that are due and wait for delivery.", "gauge", { "\($0.waiting)" }),
            (
                "outbox_scheduled", "Messages that are not due yet, and may be taken back.", "gauge",
                { "\($0.scheduled)" }
            ),
            (
                "outbox_oldest_waiting_seconds", "How long the oldest waiting message has waited.", "gauge",
                { "\($0.oldest.wholeSeconds)" }
            ),
        ]
        for (name, help, type, value) in metrics {
            buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n")
            for channel in channels {
                buffer.writeString("\(name){channel=\"\(channel.channel)\"} \(value(channel))\n")
            }
        }
    }
}
