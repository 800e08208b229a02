/// The time that the servers of a database have seen pass. It is the second clock for what has to be kept.
///
/// It follows the wall clock, less the time that no server saw: absences, and leaps that were believed in the end. Evidence whose
/// retention has ended by the wall clock alone is kept until the servers have lived through the retention as well.
package struct ObservedTime: Sendable, Hashable {
    /// Shorter gaps are restarts, and corrections of the clock.
    package static let slack = Duration.minutes(10)

    /// The last recorded time of the wall clock.
    package private(set) var recorded: Timestamp
    /// How much of it no server saw.
    package private(set) var unseen: Duration
    /// When that last grew.
    private var since: Timestamp

    /// The first record of a database.
    package init(_ now: Timestamp) {
        recorded = now
        unseen = .zero
        since = now
    }

    /// Reads ``text``; `nil` if it is malformed.
    package init?(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        recorded = Timestamp(milliseconds: numbers[0])
        unseen = .milliseconds(numbers[1])
        since = Timestamp(milliseconds: numbers[2])
    }

    /// Its form in the database.
    package var text: String { "\(recorded.milliseconds) \(unseen.wholeMilliseconds) \(since.milliseconds)" }

    /// The end of the retentions that are over by both clocks.
    package func retentionEnd(at now: Timestamp) -> Timestamp { now - unseen }

    /// The record at a later time of the wall clock.
    /// - Parameters:
    ///   - passed: the uptime of the process since it read this record, or zero if it has just read it.
    ///   - retention: the longest. What was kept before a gap has been seen for so long, once this has passed after it.
    package func advanced(to now: Timestamp, after passed: Duration, retention: Duration) -> ObservedTime {
        var next = self
        next.recorded = now
        let gap = (now - recorded) - passed
        if gap > Self.slack {
            next.unseen += gap
            next.since = now
        } else if gap < .zero - Self.slack {
            next.unseen = max(.zero, unseen + gap)
        }
        if now - next.since >= retention { next.unseen = .zero }
        return next
    }
}
