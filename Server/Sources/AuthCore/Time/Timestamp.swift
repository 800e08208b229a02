/// A moment, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Integers and not floating seconds: a guard in the database compares the very number that the rule computed.
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
    /// Milliseconds since the Unix epoch, UTC.
    public let milliseconds: Int64

    /// - Parameter milliseconds: milliseconds since the Unix epoch, UTC.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// - Parameter seconds: whole seconds since the Unix epoch, UTC; the unit of JWT's `NumericDate` (RFC 7519 §2).
    ///   Values beyond the range saturate, since they come from tokens that others wrote.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Whole seconds since the Unix epoch, rounded down.
    public var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The moment `duration` later; saturates at the ends of the range. Parts of a millisecond are dropped.
    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        return Timestamp(milliseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// The moment `duration` earlier; saturates at the ends of the range. Parts of a millisecond are dropped.
    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        moment + (Duration.zero - duration)
    }

    /// The time that passed from `earlier` to `later`; negative when they are the other way round.
    public static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        let (difference, overflow) = later.milliseconds.subtractingReportingOverflow(earlier.milliseconds)
        return .milliseconds(overflow ? (later < earlier ? Int64.min : Int64.max) : difference)
    }
}

extension Duration {
    /// The duration in whole milliseconds, toward zero; saturates.
    public var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in whole seconds, toward zero: what `expires_in` and `Retry-After` carry.
    public var wholeSeconds: Int64 { components.seconds }

    /// A number of minutes of 60 seconds.
    public static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

    /// A number of hours of 3,600 seconds.
    public static func hours(_ count: Int64) -> Duration { .seconds(count * 3600) }

    /// A number of days of 86,400 seconds; no calendar is meant.
    public static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
}
