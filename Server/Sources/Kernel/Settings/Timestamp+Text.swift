package import Core
internal import Foundation

extension Timestamp {
    /// ISO 8601 in UTC, to the second.
    package var text: String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }

    /// UTC in ISO 8601 order, which reads the same in every language: `2026-03-01 17:05 UTC`.
    var minute: String { "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC" }

    /// A deadline as it is shown to the minute: rounded up, so that it has passed at the time shown.
    package var roundedUpToMinute: Timestamp { self + .milliseconds(59_999) }

    /// ``minute`` of a deadline.
    package var toTheMinute: String { roundedUpToMinute.minute }
}
