package enum PINLimits {
    /// The attempts until one must succeed (PSD2 RTS article 4: at most five).
    package static let tries = 5
    /// The charges of one enrollment within ``window`` that may lack a success of their own.
    package static let chargesPerWindow = 30
    /// How long a charge without success counts.
    package static let window = Duration.days(30)
    /// The evaluations per minute, for one enrollment, that set a PIN and charge no attempt. With a longer period, a
    /// thief of the device's key could keep the holder from setting a PIN for as long.
    package static let settingsPerMinute = 30
    /// How long the `Idempotency-Key` of a request that charges an attempt is remembered.
    package static let memory = Duration.hours(24)
    /// How long the `Idempotency-Key` of a request that charges none is remembered. It is short, to limit the rows that
    /// a device's key can create, and longer than an assertion lives.
    package static let settingMemory = Duration.minutes(10)
    package static let challengeLifetime = Duration.seconds(120)
}
