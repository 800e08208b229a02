/// What comparing the clocks says about the wall clock.
package enum ClockVerdict: Sendable, Hashable {
    /// The clocks agree.
    case agreed
    /// At its start, this process found the wall clock far ahead of the last recorded time: no server has run for long, or
    /// the clock is wrong.
    case unconfirmed(ahead: Duration)
    /// The wall clock has leaped by this much; less than zero if it was set back.
    case leaped(by: Duration)
    /// The clock of the database's server is ahead by this much; less than zero if it is behind.
    case differsFromDatabase(by: Duration)

    /// Whether requests may be answered. With a wrong time, codes and sessions look expired.
    package var allowsRequests: Bool {
        switch self {
        case .agreed, .unconfirmed: true
        case .leaped, .differsFromDatabase: false
        }
    }

    /// Whether rows may be removed and keys rotated because of the time.
    package var allowsRemoval: Bool { self == .agreed }

    /// For operators, without a full stop.
    package var explanation: String {
        switch self {
        case .agreed: "the clocks agree"
        case .unconfirmed(let ahead): "the clock is \(Self.words(ahead)) ahead of the last recorded time"
        case .leaped(let difference):
            "the clock is \(Self.words(difference)) \(difference < .zero ? "behind" : "ahead of") the expected time"
        case .differsFromDatabase(let difference):
            "the clock of the database's server is \(Self.words(difference)) "
                + "\(difference < .zero ? "behind" : "ahead of") this machine's"
        }
    }

    /// The length of a time in its largest unit.
    private static func words(_ duration: Duration) -> String {
        let seconds = rounded(duration).magnitude
        for (unit, size) in [("days", UInt64(86_400)), ("hours", 3600), ("minutes", 60)] where seconds >= 2 * size {
            return "\(seconds / size) \(unit)"
        }
        return seconds.counted("second", "seconds")
    }

    private static func rounded(_ duration: Duration) -> Int64 {
        (duration + .milliseconds(duration < .zero ? -500 : 500)).wholeSeconds
    }

    /// How far the clocks are apart, in whole seconds; zero if they agree.
    package var seconds: Int64 { Self.rounded(difference) }

    private var difference: Duration {
        switch self {
        case .agreed: .zero
        case .unconfirmed(let ahead): ahead
        case .leaped(let difference), .differsFromDatabase(let difference): difference
        }
    }
}

/// What a process reads at one moment.
package struct ClockReading: Sendable {
    /// The wall clock.
    package let wall: Timestamp
    /// The time since some moment, with the time in which the machine was suspended. No one can set it.
    package let uptime: Duration
    /// Whether the system gets its time from a synchronized source; `nil` if it does not say.
    package let isSynchronized: Bool?

    package init(wall: Timestamp, uptime: Duration, isSynchronized: Bool?) {
        self.wall = wall
        self.uptime = uptime
        self.isSynchronized = isSynchronized
    }
}
