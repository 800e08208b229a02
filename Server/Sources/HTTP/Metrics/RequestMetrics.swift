import NIOCore
import Synchronization

/// Requests by route and status, and their durations, in the Prometheus text format.
///
/// The routes are fixed at start and unknown paths share one entry, so clients cannot make it grow.
final class RequestMetrics: Sendable {
    /// Upper bounds in seconds. The lowest are finer than usual for a web application, because a refresh takes about a
    /// millisecond.
    static let bounds: [Double] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let series: [RouteLabel: RouteSeries]
    private let other = RouteSeries()

    /// A method and a route template, never a path from a client.
    struct RouteLabel: Hashable, Sendable {
        var method: String
        var template: String
    }

    init(routes: [RouteLabel]) {
        series = Dictionary(routes.map { ($0, RouteSeries()) }, uniquingKeysWith: { first, _ in first })
    }

    func record(_ label: RouteLabel, status: Int, duration: Duration) {
        (series[label] ?? other).record(status: status, duration: duration)
    }

    /// Writes all metrics in the exposition format, version 0.0.4.
    func write(to buffer: inout ByteBuffer) {
        let sorted = series.sorted { ($0.key.template, $0.key.method) < ($1.key.template, $1.key.method) }
        var rows = sorted.map {
            (labels: "method=\"\($0.key.method)\",route=\"\($0.key.template)\"", $0.value.snapshot())
        }
        rows.append((labels: "method=\"other\",route=\"other\"", other.snapshot()))
        rows.removeAll { $0.1.total == 0 }

        buffer.writeString("# HELP http_server_requests_total Requests served.\n")
        buffer.writeString("# TYPE http_server_requests_total counter\n")
        for (labels, counts) in rows {
            for (status, count) in counts.statuses.sorted(by: { $0.key < $1.key }) {
                buffer.writeString("http_server_requests_total{\(labels),status=\"\(status)\"} \(count)\n")
            }
        }
        buffer.writeString("# HELP http_server_request_duration_seconds Time from request head to response.\n")
        buffer.writeString("# TYPE http_server_request_duration_seconds histogram\n")
        for (labels, counts) in rows {
            var cumulative: UInt64 = 0
            for (bound, count) in zip(Self.bounds, counts.buckets) {
                cumulative += count
                buffer.writeString(
                    "http_server_request_duration_seconds_bucket{\(labels),le=\"\(bound)\"} \(cumulative)\n")
            }
            buffer.writeString(
                "http_server_request_duration_seconds_bucket{\(labels),le=\"+Inf\"} \(counts.total)\n")
            buffer.writeString("http_server_request_duration_seconds_sum{\(labels)} \(counts.seconds)\n")
            buffer.writeString("http_server_request_duration_seconds_count{\(labels)} \(counts.total)\n")
        }
    }
}

/// The counts of one route. Each has its own lock, so that busy routes do not wait for one another.
private final class RouteSeries: Sendable {
    struct Counts: Sendable {
        /// The server chooses its own status codes, so their number is small and fixed.
        var statuses: [Int: UInt64] = [:]
        var buckets = [UInt64](repeating: 0, count: RequestMetrics.bounds.count)
        var total: UInt64 = 0
        var seconds: Double = 0
    }

    private let counts = Mutex(Counts())

    func record(status: Int, duration: Duration) {
        let (whole, attoseconds) = duration.components
        let seconds = Double(whole) + Double(attoseconds) * 1e-18
        let bucket = RequestMetrics.bounds.firstIndex { seconds <= $0 }
        counts.withLock { counts in
            counts.statuses[status, default: 0] += 1
            if let bucket { counts.buckets[bucket] += 1 }
            counts.total += 1
            counts.seconds += seconds
        }
    }

    func snapshot() -> Counts { counts.withLock { $0 } }
}
