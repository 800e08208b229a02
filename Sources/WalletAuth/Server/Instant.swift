import Foundation
import WalletAuthWire

/// A moment in server time, in milliseconds since 1970.
struct Instant: Hashable, Sendable, Codable, Comparable {
    var milliseconds: Int64

    init(milliseconds: Int64) { self.milliseconds = milliseconds }
    init(_ date: Date) { milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded()) }
    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
    var seconds: Int64 { milliseconds / 1000 }

    static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
    static func - (a: Instant, b: Instant) -> Duration { .milliseconds(a.milliseconds - b.milliseconds) }
    static func + (a: Instant, b: Duration) -> Instant { Instant(milliseconds: a.milliseconds + b.milliseconds) }
    static func - (a: Instant, b: Duration) -> Instant { Instant(milliseconds: a.milliseconds - b.milliseconds) }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1000 &+ attoseconds / 1_000_000_000_000_000
    }
    var inSeconds: Double { Double(milliseconds) / 1000 }
}

extension NumericDate {
    var date: Date { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)) }
}
