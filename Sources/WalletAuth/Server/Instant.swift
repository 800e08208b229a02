import Foundation
import WalletAuthWire

/// A moment in server time, in milliseconds since 1970. Its arithmetic saturates instead of trapping, because servers
/// and apps supply the durations.
struct Instant: Hashable, Sendable, Codable, Comparable {
    var milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }
    init(_ date: NumericDate) { milliseconds = date.secondsSince1970 * 1000 }

    init(_ date: Date) {
        let exact = (date.timeIntervalSince1970 * 1000).rounded()
        milliseconds = Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    var seconds: Int64 { milliseconds / 1000 }

    static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    static func + (a: Instant, b: Duration) -> Instant {
        Instant(milliseconds: a.milliseconds.addingSaturated(b.milliseconds))
    }
    static func - (a: Instant, b: Duration) -> Instant {
        Instant(milliseconds: a.milliseconds.subtractingSaturated(b.milliseconds))
    }
    static func - (a: Instant, b: Instant) -> Duration {
        .milliseconds(a.milliseconds.subtractingSaturated(b.milliseconds))
    }
}

extension Duration {
    /// Whole milliseconds, saturated.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        return product.addingSaturated(attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    fileprivate func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}

extension NumericDate {
    var date: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
