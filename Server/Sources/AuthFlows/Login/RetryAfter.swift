package import AuthCore

/// How long somebody is told to wait before the next try (`Retry-After`, RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// Whole seconds until a time, and at least one.
    /// - Parameters:
    ///   - time: when the next try is compared; `nil` where no time is known, which is told as an hour.
    ///   - now: the present moment.
    package static func seconds(until time: Timestamp?, now: Timestamp) -> Int64 {
        time.map { max(1, ($0 - now).wholeSeconds) } ?? 3600
    }
}
