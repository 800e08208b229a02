import Foundation
import WalletAuthTransport
import WalletAuthWire

/// The server's clock, derived from its `Date` headers.
///
/// Once measured, uptime carries it on, so that a changed wall clock has no effect. Before the first answer, it is the
/// wall clock plus the offset measured in an earlier run.
///
/// One of several servers may have a wrong clock. Its time is followed, since proofs for it need it, and is believed only
/// with a reason: it agrees with the device's clock or with what was believed, or a call to the server succeeded.
final class ServerClock: Sendable {
    private typealias Anchor = (server: Instant, uptime: Duration)

    private struct Estimate: Sendable {
        var storedOffset: Duration = .zero
        var anchor: Anchor?
        /// The last one that was believed.
        var believed: Anchor?
    }

    /// How old a `Date` may be when it is sent: it is in whole seconds, and many servers write it once a second.
    private static let longestAge = Duration.seconds(2)

    private let time: any TimeSource
    private let estimate = LockedValue(Estimate())

    init(time: any TimeSource) { self.time = time }

    var now: Instant {
        let estimate = estimate.withLock { $0 }
        if let anchor = estimate.anchor { return anchor.server + (time.uptime() - anchor.uptime) }
        return Instant(time.now()) + estimate.storedOffset
    }

    /// The correction to the wall clock.
    var offset: Duration { now - Instant(time.now()) }

    /// Whether the server's time was measured in this run.
    var isMeasured: Bool { estimate.withLock { $0.anchor != nil } }

    /// The correction to the wall clock by the last time that was believed; nil before one was in this run.
    var believedOffset: Duration? {
        guard let believed = estimate.withLock({ $0.believed }) else { return nil }
        return believed.server + (time.uptime() - believed.uptime) - Instant(time.now())
    }

    /// Restores the measurement of an earlier run.
    func restore(offset: Duration) { estimate.withLock { $0.storedOffset = offset } }

    /// Learns from an answer.
    /// - Parameters:
    ///   - date: the `Date` header (RFC 9110 §6.6.1), in whole seconds; if it contradicts the estimate, half a second is
    ///     added for the truncated part.
    ///   - sentAt: the uptime when the request was sent; an answer that took longer than ten seconds is ignored.
    /// - Returns: whether the server's time contradicts the device's clock and the last one that was believed.
    @discardableResult
    func learn(date: String?, sentAt: Duration) -> Bool {
        let receivedAt = time.uptime()
        guard let server = date.flatMap(HTTPDate.parse) else { return false }
        let serverTime = server + .milliseconds(500)
        let wall = Instant(time.now())
        let travel = receivedAt - sentAt
        return estimate.withLock { estimate in
            let expected =
                estimate.anchor.map { $0.server + (receivedAt - $0.uptime) } ?? wall + estimate.storedOffset
            let believed =
                estimate.believed.map { $0.server + (receivedAt - $0.uptime) } ?? wall + estimate.storedOffset
            let isDoubtful = ServerTimeDoubt.isDoubtful(serverTime, wall: wall, believed: believed)
            guard travel >= .zero, travel < .seconds(10) else { return isDoubtful }
            // The header was written at any time of the travel. What it does not contradict is kept: the middle would be
            // off by seconds on a busy device, and tokens would expire late.
            let difference = expected - server
            let isPossible = difference >= .zero && difference < Self.longestAge + travel
            estimate.anchor =
                isPossible
                ? (server: expected, uptime: receivedAt) : (server: serverTime, uptime: sentAt + travel / 2)
            if !isDoubtful { estimate.believed = estimate.anchor }
            return isDoubtful
        }
    }

    /// Believes the time of the last answer: the call has succeeded.
    func believe() { estimate.withLock { $0.believed = $0.anchor } }
}

/// Decides whether a server's time is more likely wrong than the device's.
enum ServerTimeDoubt {
    /// Shorter differences are those of clocks that no one sets, and of answers under way.
    static let tolerance = Duration.seconds(300)

    /// Whether a server's time contradicts both the device's wall clock and the server's time as it was last believed.
    static func isDoubtful(_ serverTime: Instant, wall: Instant, believed: Instant) -> Bool {
        [wall, believed].allSatisfy { known in
            let difference = serverTime - known
            return difference > tolerance || difference < .zero - tolerance
        }
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form of RFC 9110 §5.6.7 that is still in use.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func parse(_ text: String) -> Instant? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])), (1...31).contains(day), (1970...9999).contains(year)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let days = daysSince1970(year: year, month: month + 1, day: day)
        return Instant(milliseconds: Int64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000)
    }

    /// The proleptic Gregorian calendar, with the year starting in March so that the leap day is its last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}

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
