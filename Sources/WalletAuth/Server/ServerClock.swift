import Foundation
import WalletAuthTransport

/// The server's clock, derived from its `Date` headers.
///
/// Once measured, uptime carries it on, so that a changed wall clock has no effect. Before the first answer, it is the
/// wall clock plus the offset measured in an earlier run.
final class ServerClock: Sendable {
    private struct Estimate: Sendable {
        var storedOffset: Duration = .zero
        var anchor: (server: Instant, uptime: Duration)?
    }

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

    /// Restores the measurement of an earlier run.
    func restore(offset: Duration) { estimate.withLock { $0.storedOffset = offset } }

    /// Learns from an answer.
    /// - Parameters:
    ///   - date: the `Date` header (RFC 9110 §6.6.1), in whole seconds; half a second is added for the truncated part.
    ///   - sentAt: the uptime when the request was sent; an answer that took longer than ten seconds is ignored.
    func learn(date: String?, sentAt: Duration) {
        let receivedAt = time.uptime()
        let travel = receivedAt - sentAt
        guard let date, travel >= .zero, travel < .seconds(10), let server = HTTPDate.parse(date) else { return }
        let told = server + .milliseconds(500)
        let middle = sentAt + travel / 2
        estimate.withLock { estimate in
            // Within the header's precision, the older anchor is as good; keeping it keeps the clock steady.
            if let anchor = estimate.anchor {
                let difference = told - (anchor.server + (middle - anchor.uptime))
                if difference < .seconds(1), difference > .seconds(-1) { return }
            }
            estimate.anchor = (server: told, uptime: middle)
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
