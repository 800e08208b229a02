extension Duration {
    /// The duration in whole seconds, toward zero: what `expires_in` and `Retry-After` carry.
    package var wholeSeconds: Int64 { components.seconds }

    /// A number of minutes of 60 seconds.
    package static func minutes(_ count: Int64) -> Duration { .seconds(count * 60) }

    /// A number of hours of 3,600 seconds.
    package static func hours(_ count: Int64) -> Duration { .seconds(count * 3600) }

    /// A number of days of 86,400 seconds; no calendar is meant.
    package static func days(_ count: Int64) -> Duration { .seconds(count * 86_400) }
}
