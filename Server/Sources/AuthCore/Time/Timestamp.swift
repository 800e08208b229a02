/// An instant in whole milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// One integer, so that a row, a claim and a comparison all mean the same instant; sub-millisecond parts are dropped at
/// the edge. Arithmetic saturates at the ends of the range, so that a hostile lifetime cannot trap the process.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    /// Makes an instant from milliseconds since 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Makes an instant from whole seconds since 1970, as JWT claims carry them (RFC 7519 §2, NumericDate).
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Decodes the bare number of milliseconds.
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the bare number of milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        milliseconds >= 0 || milliseconds % 1000 == 0 ? milliseconds / 1000 : milliseconds / 1000 - 1
    }

    /// Orders instants by time.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant `duration` later; saturates.
    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: instant.milliseconds < 0 ? .min : .max)
    }

    /// The instant `duration` earlier; saturates.
    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        let (difference, overflow) = instant.milliseconds.subtractingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Timestamp(milliseconds: difference) }
        return Timestamp(milliseconds: instant.milliseconds < 0 ? .min : .max)
    }

    /// The time from `earlier` to `later`; saturates.
    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (later < earlier ? Int64.min : Int64.max) : difference)
    }
}

extension Duration {
    /// The duration in whole milliseconds, truncated towards zero; saturates.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !carry else { return seconds < 0 ? .min : .max }
        return sum
    }
}
