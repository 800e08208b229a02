package import AuthCore
internal import AuthFoundation

extension Timestamp {
    /// UTC in ISO 8601 order, which reads the same in every language: `2026-03-01 17:05 UTC`. Rounded up to the minute, so that a
    /// deadline has passed at the time shown.
    package var toTheMinute: String {
        let text = (self + .milliseconds(59_999)).text
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
