extension Duration {
    /// Truncated towards zero, for `expires_in` and `Retry-After`.
    package var wholeSeconds: Int64 { components.seconds }

    package static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

    package static func hours(_ count: Int64) -> Duration { .seconds(count * 3600) }

    /// Days of 86,400 seconds, not calendar days.
    package static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
}
