package import AuthCore

extension Timestamp {
    /// In UTC and in the order of ISO 8601, which reads alike in every language: `2026-03-01 17:05 UTC`. Rounded up to the minute,
    /// so that what ends at a moment has ended by the one that a person is told.
    package var toTheMinute: String {
        let text = (self + .milliseconds(59_999)).text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
