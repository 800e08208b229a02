package import Core

/// What the servers of a database have recorded about the time, in ``Meta``.
package struct ClockRecords: Sendable, Hashable {
    private static let observedName = "clock_observed"
    private static let acceptedName = "clock_accepted"

    /// `nil` before the first record.
    package var observed: ObservedTime?
    /// What the wall clock showed when an operator last confirmed it.
    package var accepted: Timestamp?

    /// None.
    package init() {}

    package static func read(on connection: any SQLConnection) throws -> ClockRecords {
        var records = ClockRecords()
        records.observed = try Meta.value(observedName, on: connection).flatMap { ObservedTime($0) }
        records.accepted = try Meta.value(acceptedName, on: connection).flatMap { Int64($0) }.map {
            Timestamp(milliseconds: $0)
        }
        return records
    }

    /// Records the time of a process whose clocks agree.
    /// - Parameters:
    ///   - known: the record that the process last read or wrote.
    ///   - passed: its uptime since then. It says nothing if another process has written a record meanwhile.
    ///   - retention: the longest of what has to be kept.
    package static func record(
        _ now: Timestamp, known: ObservedTime?, after passed: Duration, retention: Duration,
        on connection: any SQLConnection
    ) throws -> ObservedTime {
        let found = try read(on: connection).observed
        let next =
            found?.advanced(to: now, after: found == known ? passed : .zero, retention: retention)
            ?? ObservedTime(now)
        try Meta.set(observedName, to: next.text, on: connection)
        return next
    }

    /// Records that an operator confirms the wall clock.
    package static func accept(_ now: Timestamp, on connection: any SQLConnection) throws {
        try Meta.set(acceptedName, to: String(now.milliseconds), on: connection)
    }
}
