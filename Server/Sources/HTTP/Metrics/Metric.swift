import Core
import Kernel
import NIOCore
import Operations
import Store

/// A metric in the Prometheus text format.
struct Metric: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
    }

    let kind: Kind
    let name: String
    let help: String
    /// The labels contain what the operator or this program chose, which needs no escaping; a metric without labels has one sample.
    let samples: [(labels: String, value: String)]

    init(_ kind: Kind, _ name: String, _ help: String, _ samples: [(labels: String, value: String)]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples
    }

    init(_ kind: Kind, _ name: String, _ help: String, _ value: some BinaryInteger) {
        self.init(kind, name, help, [("", "\(value)")])
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.writeString("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        for (labels, value) in samples {
            buffer.writeString("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n")
        }
    }
}

extension Metric {
    /// What the flows and the engine count.
    static func all(of server: AuthorizationServer) -> [Metric] {
        let context = server.context
        var all = of(context.clocks.check())
        all += of(context.breaches.metrics)
        all += of(context.providerActivity.metrics)
        all += of(context.guestCodes.held)
        if let log = context.maintenance?.log { all += of(log) }
        if let connections = context.database.connectionMetrics { all += of(connections) }
        all += of(server.outboxReport)
        all += of(context.webhooks)
        return all
    }

    /// The write-ahead log.
    static func of(_ log: WriteAheadLog) -> [Metric] {
        [
            Metric(.gauge, "database_log_bytes", "Bytes of the write-ahead log that a restart would read.", log.bytes),
            Metric(
                .gauge, "database_last_whole_checkpoint_timestamp_seconds",
                "When the whole write-ahead log was last copied into the database file.",
                log.lastWholeCheckpoint.seconds),
            Metric(
                .counter, "database_checkpoint_failures_total", "Checkpoints that failed since the start.",
                log.failedCheckpoints),
            Metric(
                .gauge, "database_refuses_writes",
                "Whether writes are refused: the log has reached its limit, or a file was deleted or replaced.",
                log.refusesWrites ? 1 : 0),
        ]
    }

    /// The connections to the database.
    static func of(_ connections: ConnectionMetrics) -> [Metric] {
        [
            Metric(
                .gauge, "database_connections", "Connections that work and get responses.",
                max(0, connections.connected - connections.stalled)),
            Metric(
                .gauge, "database_connections_stalled",
                "Connections that have waited for the server's response for more than a second.", connections.stalled),
            Metric(.gauge, "database_connections_configured", "Configured connections.", connections.configured),
            Metric(.gauge, "database_waiting_calls", "Calls waiting for a connection.", connections.waiting),
            Metric(
                .counter, "database_expired_calls_total", "Calls refused after waiting too long for a connection.",
                connections.expiredCalls),
            Metric(
                .counter, "database_repeated_writes_total", "Writes repeated because another one came first.",
                connections.repeatedWrites),
            Metric(.counter, "database_lost_connections_total", "Connections lost.", connections.lostConnections),
            Metric(
                .counter, "database_unknown_outcomes_total", "Commits whose response did not arrive.",
                connections.unknownOutcomes),
        ]
    }

    /// The comparison of the clocks.
    static func of(_ verdict: ClockVerdict) -> [Metric] {
        [
            Metric(
                .gauge, "clock_agrees", "Whether the clocks agree, so that expired data is removed.",
                verdict == .agreed ? 1 : 0),
            Metric(
                .gauge, "clock_serves", "Whether the clocks let requests be answered.", verdict.allowsRequests ? 1 : 0),
            Metric(
                .gauge, "clock_difference_seconds", "How far the clocks are apart, if they do not agree.",
                verdict.seconds),
        ]
    }

    /// Message delivery: totals since the start, and the messages that waited when they were counted last.
    static func of(_ report: OutboxReport) -> [Metric] {
        func metric(_ kind: Kind, _ name: String, _ help: String, _ value: (OutboxMetrics) -> String) -> Metric {
            Metric(kind, name, help, report.channels.map { ("channel=\"\($0.channel)\"", value($0)) })
        }
        let age = report.age.map {
            Metric(
                .gauge, "outbox_counted_age_seconds", "How long ago the waiting and scheduled messages were counted.",
                $0.wholeSeconds)
        }
        let totals = [
            metric(.counter, "outbox_delivered_total", "Messages delivered.") { "\($0.delivered)" },
            metric(.counter, "outbox_postponed_total", "Attempts that failed and will be repeated.") {
                "\($0.postponed)"
            },
            metric(.counter, "outbox_failed_total", "Messages given up.") { "\($0.failed)" },
        ]
        guard let age else { return totals }
        return [age] + totals + [
            metric(.gauge, "outbox_waiting", "Messages that are due and waiting for delivery.") { "\($0.waiting)" },
            metric(.gauge, "outbox_scheduled", "Messages that are not due yet and may still be withdrawn.") {
                "\($0.scheduled)"
            },
            metric(.gauge, "outbox_oldest_waiting_seconds", "How long the oldest waiting message has waited.") {
                "\($0.oldest.wholeSeconds)"
            },
        ]
    }

    /// The delivery of webhooks since the start of this process, and what waited when it was counted last.
    static func of(_ webhooks: WebhookActivity) -> [Metric] {
        let counts = webhooks.counts
        let totals = [
            Metric(.counter, "webhooks_delivered_total", "Events that receivers accepted.", counts.delivered),
            Metric(
                .counter, "webhooks_failed_total", "Attempts to deliver an event that failed and will be repeated.",
                counts.failed),
            Metric(
                .counter, "webhooks_dropped_total", "Events that were dropped because too many waited for a receiver.",
                counts.dropped),
        ]
        guard let backlog = webhooks.backlog else { return totals }
        return totals + [
            Metric(.gauge, "webhooks_waiting", "Events that wait for delivery.", backlog.waiting),
            Metric(.gauge, "webhooks_disabled", "Receivers that were switched off.", backlog.disabled),
        ]
    }

    /// Requests to identity providers and their results. None before the first request.
    static func of(_ providers: [ProviderMetrics]) -> [Metric] {
        counter(
            "identity_provider_verifications_total", "Sign-ins that identity providers were asked to verify.",
            providers.flatMap { provider in
                [("ok", provider.ok), ("refused", provider.refused), ("unavailable", provider.unavailable)].map {
                    ("brand=\"\(provider.brand)\",provider=\"\(provider.provider)\",outcome=\"\($0)\"", "\($1)")
                }
            })
    }

    /// One-time passwords for guests that were not sent. None before the first.
    static func of(_ held: [(limit: String, count: UInt64)]) -> [Metric] {
        counter(
            "guest_codes_held_total", "Codes by SMS for guests that a limit kept from being sent.",
            held.map { ("limit=\"\($0.limit)\"", "\($0.count)") })
    }

    /// Lookups of breached passwords. None if no list is configured.
    static func of(_ lists: [BreachMetrics]) -> [Metric] {
        counter(
            "password_breach_checks_total", "Lookups in lists of stolen passwords.",
            lists.flatMap { list in
                [("found", list.found), ("absent", list.absent), ("failed", list.failed), ("skipped", list.skipped)]
                    .map { ("list=\"\(list.list)\",outcome=\"\($0)\"", "\($1)") }
            })
    }

    private static func counter(
        _ name: String, _ help: String, _ samples: [(labels: String, value: String)]
    ) -> [Metric] {
        samples.isEmpty ? [] : [Metric(.counter, name, help, samples)]
    }
}
