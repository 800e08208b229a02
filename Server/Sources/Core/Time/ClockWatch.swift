/// Decides whether the wall clock can be believed (docs/decisions/0096-two-clocks.md).
///
/// It is compared with the uptime, which no one sets: what the two have gained since they last agreed must be the same. At
/// a start it is compared with the last time that an earlier process has recorded, and in between with the clock of the
/// database's server.
package struct ClockWatch: Sendable {
    /// Steps up to this size are corrections. It renews each ``probation``, so that years of small ones do not add up.
    package static let tolerance = Duration.minutes(1)
    /// An absence up to this length needs no explanation.
    package static let longestAbsence = Duration.days(1)
    /// How long a clock in doubt must run evenly until it is believed, if the system says that it is synchronized.
    package static let probation = Duration.hours(1)
    /// The same after a long absence, if the system says that it is not.
    package static let longProbation = Duration.days(1)
    /// How far the clock of the database's server may differ.
    package static let databaseTolerance = Duration.seconds(10)

    /// The course of a wall clock that runs evenly.
    private struct Course: Sendable {
        var wall: Timestamp
        var uptime: Duration

        init(_ wall: Timestamp, at uptime: Duration) {
            self.wall = wall
            self.uptime = uptime
        }

        /// How far a reading is ahead.
        func lead(of reading: ClockReading) -> Duration { reading.wall - (wall + (reading.uptime - uptime)) }

        /// How long it has lasted.
        func age(at reading: ClockReading) -> Duration { reading.uptime - uptime }
    }

    private enum Trust: Sendable {
        case confirmed
        /// Served, but too far ahead of the last recorded time to remove anything.
        case unconfirmed(ahead: Duration)
        /// Behind the last recorded time, which is the course until the clock has caught up.
        case behind
    }

    private var trust: Trust
    /// What the wall clock is expected to show.
    private var course: Course
    /// The last time that an earlier process recorded, until the clock has run evenly for an hour.
    private var recorded: Course?
    /// What the wall clock has been showing since it left the course.
    private var departure: Course?
    /// What the clock of the database's server is expected to show.
    private var database: Course?

    /// - Parameter lastRecorded: when an earlier process last found the clocks to agree; `nil` for a new database.
    package init(_ reading: ClockReading, lastRecorded: Timestamp?) {
        course = Course(reading.wall, at: reading.uptime)
        recorded = lastRecorded.map { Course($0, at: reading.uptime) }
        trust = .confirmed
        guard let recorded else { return }
        let lead = recorded.lead(of: reading)
        if lead > Self.longestAbsence {
            trust = .unconfirmed(ahead: lead)
        } else if lead < .zero - Self.tolerance {
            trust = .behind
            course = recorded
        }
    }

    /// Compares the clocks of this machine.
    package mutating func observe(_ reading: ClockReading) -> ClockVerdict {
        let lead = course.lead(of: reading)
        let isOnCourse = abs(lead) <= Self.tolerance
        if !isOnCourse, isExplained(reading, lead) {
            confirm(reading)
        } else if case .behind = trust, lead > Self.longestAbsence {
            // As if this process had started with the corrected clock.
            trust = .unconfirmed(ahead: lead)
            course = Course(reading.wall, at: reading.uptime)
            departure = nil
        } else if isOnCourse {
            departure = nil
            follow(reading)
        } else {
            depart(reading)
        }
        return verdict(of: reading)
    }

    /// Takes how far the clock of the database's server is ahead. It counts until the next comparison, also if the wall clock is
    /// set meanwhile.
    package mutating func compare(withDatabase difference: Duration, at reading: ClockReading) {
        database = Course(reading.wall + difference, at: reading.uptime)
    }

    /// An operator confirms that the wall clock is right.
    package mutating func accept(_ reading: ClockReading) {
        confirm(reading)
        recorded = nil
    }

    /// On course, trust grows.
    private mutating func follow(_ reading: ClockReading) {
        switch trust {
        case .behind:
            confirm(reading)
        case .unconfirmed:
            let probation = reading.isSynchronized == false ? Self.longProbation : Self.probation
            if course.age(at: reading) >= probation { confirm(reading) }
        case .confirmed:
            guard course.age(at: reading) >= Self.probation else { return }
            course = Course(reading.wall, at: reading.uptime)
            recorded = nil
        }
    }

    /// Off course, the clock is believed again if it runs evenly and the system vouches for it: after a virtual machine was paused,
    /// or when the former time was wrong.
    private mutating func depart(_ reading: ClockReading) {
        let since = departure ?? Course(reading.wall, at: reading.uptime)
        let isEven = abs(since.lead(of: reading)) <= Self.tolerance
        departure = isEven ? since : Course(reading.wall, at: reading.uptime)
        guard isEven, reading.isSynchronized == true, since.age(at: reading) >= Self.probation else { return }
        confirm(reading)
    }

    /// Whether the last recorded time explains the step: the clock was wrong when this process started, and has been corrected.
    private func isExplained(_ reading: ClockReading, _ lead: Duration) -> Bool {
        guard let recorded else { return false }
        if case .confirmed = trust, lead > .zero { return false }
        return (.zero - Self.tolerance...Self.longestAbsence).contains(recorded.lead(of: reading))
    }

    private mutating func confirm(_ reading: ClockReading) {
        trust = .confirmed
        course = Course(reading.wall, at: reading.uptime)
        departure = nil
    }

    private func verdict(of reading: ClockReading) -> ClockVerdict {
        if departure != nil { return .leaped(by: course.lead(of: reading)) }
        let difference = database.map { .zero - $0.lead(of: reading) } ?? .zero
        if abs(difference) > Self.databaseTolerance { return .differsFromDatabase(by: difference) }
        if case .unconfirmed(let ahead) = trust { return .unconfirmed(ahead: ahead) }
        return .agreed
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
}
