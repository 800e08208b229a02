/// How often a PIN may be tried.
package enum PINLimits {
    /// How many tries there are until one of them succeeds (PSD2 RTS article 4 names five at most).
    package static let tries = 5
    /// How many charges of one enrollment, within ``window``, may be without a success of their own.
    package static let chargesPerWindow = 30
    /// For how long a charge without success counts.
    package static let window = Duration.days(30)
    /// How many evaluations that set a PIN, and charge no try, one enrollment may ask for in a minute. A longer time would let a
    /// thief of the device's key keep the holder from setting a PIN for as long.
    package static let settingsPerMinute = 30
    /// How long a request that charges a try is known by its `Idempotency-Key`.
    package static let memory = Duration.hours(24)
    /// How long one that charges none is known, so that those of a minute are all that a device's key can pile up. It is longer than
    /// an assertion lives.
    package static let settingMemory = Duration.minutes(10)
    /// How long a challenge is open.
    package static let challengeLifetime = Duration.seconds(120)
}
