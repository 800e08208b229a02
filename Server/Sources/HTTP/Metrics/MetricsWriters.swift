import Core
import Kernel
import NIOCore
import Store

/// The write-ahead log, or the connections to the database, in the Prometheus text format.
enum DatabaseMetricsWriter {
    static func write(_ log: WriteAheadLog, to buffer: inout ByteBuffer) {
        let metrics: [(name: String, help: String, type: String, value: Int64)] = [
            ("database_log_bytes", "Bytes of the write-ahead log that a restart would read.", "gauge", log.bytes),
            (
                "database_last_whole_checkpoint_timestamp_seconds",
                "When the whole write-ahead log was last copied into the database file.", "gauge",
                log.lastWholeCheckpoint.seconds
            ),
            (
                "database_checkpoint_failures_total", "Checkpoints that failed since the start.", "counter",
                log.failedCheckpoints
            ),
            (
                "database_refuses_writes",
                "Whether writes are refused: the log has reached its limit, or a file was deleted or replaced.",
                "gauge",
                log.refusesWrites ? 1 : 0
            ),
        ]
        for (name, help, type, value) in metrics { write(name, help, type, "\(value)", to: &buffer) }
    }

    static func write(_ connections: ConnectionMetrics, to buffer: inout ByteBuffer) {
        let metrics: [(name: String, help: String, type: String, value: Int)] = [
            (
                "database_connections", "Connections that work and get responses.", "gauge",
                max(0, connections.connected - connections.stalled)
            ),
            (
                "database_connections_stalled",
                "Connections that have waited for the server's response for more than a second.", "gauge",
                connections.stalled
            ),
            (
                "database_connections_configured", "Configured connections.", "gauge",
                connections.configured
            ),
            ("database_waiting_calls", "Calls waiting for a connection.", "gauge", connections.waiting),
            (
                "database_expired_calls_total", "Calls refused after waiting too long for a connection.", "counter",
                connections.expiredCalls
            ),
            (
                "database_repeated_writes_total", "Writes repeated because another one came first.", "counter",
                connections.repeatedWrites
            ),
            ("database_lost_connections_total", "Connections lost.", "counter", connections.lostConnections),
            (
                "database_unknown_outcomes_total", "Commits whose response did not arrive.", "counter",
                connections.unknownOutcomes
            ),
        ]
        for (name, help, type, value) in metrics { write(name, help, type, "\(value)", to: &buffer) }
    }

    private static func write(
        _ name: String, _ help: String, _ type: String, _ value: String, to buffer: inout ByteBuffer
    ) {
        buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name) \(value)\n")
    }
}

/// The comparison of the clocks in the Prometheus text format.
enum ClockMetricsWriter {
    static func write(_ verdict: ClockVerdict, to buffer: inout ByteBuffer) {
        let metrics: [(name: String, help: String, value: Int64)] = [
            ("clock_agrees", "Whether the clocks agree, so that expired data is removed.", verdict == .agreed ? 1 : 0),
            ("clock_serves", "Whether the clocks let requests be answered.", verdict.allowsRequests ? 1 : 0),
            (
                "clock_difference_seconds", "How far the clocks are apart, if they do not agree.",
                verdict.seconds
            ),
        ]
        for (name, help, value) in metrics {
            buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(value)\n")
        }
    }
}

/// Message delivery in the Prometheus text format: totals since the start, and the messages that waited when they were counted last.
enum OutboxMetricsWriter {
    private typealias Metric = (name: String, help: String, type: String, value: (OutboxMetrics) -> String)

    static func write(_ report: OutboxReport, to buffer: inout ByteBuffer) {
        var metrics: [Metric] = [
            ("outbox_delivered_total", "Messages delivered.", "counter", { "\($0.delivered)" }),
            ("outbox_postponed_total", "Attempts that failed and will be repeated.", "counter", { "\($0.postponed)" }),
            ("outbox_failed_total", "Messages given up.", "counter", { "\($0.failed)" }),
        ]
        if let age = report.age {
            let name = "outbox_counted_age_seconds"
            let help = "How long ago the waiting and scheduled messages were counted."
            buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) gauge\n\(name) \(age.wholeSeconds)\n")
            metrics += [
                ("outbox_waiting", "Messages that are due and waiting for delivery.", "gauge", { "\($0.waiting)" }),
                (
                    "outbox_scheduled", "Messages that are not due yet and may still be withdrawn.", "gauge",
                    { "\($0.scheduled)" }
                ),
                (
                    "outbox_oldest_waiting_seconds", "How long the oldest waiting message has waited.", "gauge",
                    { "\($0.oldest.wholeSeconds)" }
                ),
            ]
        }
        for (name, help, type, value) in metrics {
            buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) \(type)\n")
            for channel in report.channels {
                buffer.writeString("\(name){channel=\"\(channel.channel)\"} \(value(channel))\n")
            }
        }
    }
}

/// Requests to identity providers and their results in the Prometheus text format. Empty before the first request. The
/// operator chooses the identifiers in the labels; they contain letters, digits and `-._~` and need no escaping.
enum ProviderMetricsWriter {
    static func write(_ metrics: [ProviderMetrics], to buffer: inout ByteBuffer) {
        guard !metrics.isEmpty else { return }
        let name = "identity_provider_verifications_total"
        buffer.writeString(
            "# HELP \(name) Sign-ins that identity providers were asked to verify.\n# TYPE \(name) counter\n")
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

/// One-time passwords for guests that were not sent, in the Prometheus text format. Empty before the first.
enum GuestCodeMetricsWriter {
    static func write(_ held: [(limit: String, count: UInt64)], to buffer: inout ByteBuffer) {
        guard !held.isEmpty else { return }
        let name = "guest_codes_held_total"
        buffer.writeString(
            "# HELP \(name) Codes by SMS for guests that a limit kept from being sent.\n# TYPE \(name) counter\n")
        for (limit, count) in held { buffer.writeString("\(name){limit=\"\(limit)\"} \(count)\n") }
    }
}

/// Lookups of breached passwords in the Prometheus text format. Empty if no list is configured.
enum BreachMetricsWriter {
    static func write(_ metrics: [BreachMetrics], to buffer: inout ByteBuffer) {
        guard !metrics.isEmpty else { return }
        let name = "password_breach_checks_total"
        buffer.writeString("# HELP \(name) Lookups in lists of stolen passwords.\n# TYPE \(name) counter\n")
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
