package import Core

/// The delay before the next attempt (`Retry-After`, RFC 9110 §10.2.3).
package enum RetryAfter {
    /// Whole seconds until a time, at least one.
    /// - Parameter time: the time of the next attempt; `nil` means unknown, for which the result is an hour.
    package static func seconds(until time: Timestamp?, now: Timestamp) -> Int64 {
        time.map { max(1, ($0 - now).wholeSeconds) } ?? 3600
    }
}
