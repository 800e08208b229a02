/// The time source of use cases. Rules never read it; they receive a `Timestamp`.
package protocol Clock: Sendable {
    /// The wall clock's time. It may be set back, so no code may assume that it only moves forward.
    func now() -> Timestamp

    /// The time since some moment before this process began, with the time in which the machine was suspended. No one can set it.
    func uptime() -> Duration
}

/// The source of unpredictable bytes for use cases. Rules never read it; they receive bytes.
package protocol RandomBytes: Sendable {
    /// Returns bytes of a cryptographically secure generator.
    func bytes(_ count: Int) -> [UInt8]
}

/// An instant in whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Rows, claims and comparisons share this one integer; fractions of a millisecond are dropped on input. Arithmetic
/// saturates at the ends of the range, so that a hostile lifetime cannot trap the process.
package struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Since 1970-01-01T00:00:00Z.
    package let milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since 1970, as in JWT claims (RFC 7519 §2, NumericDate). Saturates.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Decodes the bare number of milliseconds.
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        milliseconds >= 0 || milliseconds % 1000 == 0 ? milliseconds / 1000 : milliseconds / 1000 - 1
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// Saturates.
    package static func + (instant: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: instant.milliseconds < 0 ? .min : .max)
    }

    /// Saturates.
    package static func - (instant: Timestamp, duration: Duration) -> Timestamp {
        let (difference, overflow) = instant.milliseconds.subtractingReportingOverflow(duration.wholeMilliseconds)
        guard overflow else { return Timestamp(milliseconds: difference) }
        return Timestamp(milliseconds: instant.milliseconds < 0 ? .min : .max)
    }

    /// Saturates.
    package static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (later < earlier ? Int64.min : Int64.max) : difference)
    }
}

extension Duration {
    /// Truncated towards zero; saturates.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        guard !carry else { return seconds < 0 ? .min : .max }
        return sum
    }
}

extension Duration {
    /// Truncated towards zero, for `expires_in` and `Retry-After`.
    package var wholeSeconds: Int64 { components.seconds }

    package static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

    package static func hours(_ count: Int64) -> Duration { .seconds(count * 3600) }

    /// Days of 86,400 seconds, not calendar days.
    package static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }

    /// A duration with its unit, as operators type it: `250ms`, `10s`, `5m`, `12h`, `90d`.
    /// - Returns: `nil` for any other text, and for more than a million of a unit.
    package init?(typed text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let seconds: [Substring: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text[digits.endIndex...]
        guard let number = Int(digits), number <= 1_000_000 else { return nil }
        if unit == "ms" {
            self = .milliseconds(number)
        } else if let length = seconds[unit] {
            self = .seconds(number * length)
        } else {
            return nil
        }
    }
}
