/// How long a message waits after an attempt to deliver it that came to nothing.
package enum DeliveryBackoff {
    private static let first = Duration.seconds(5)
    private static let longest = Duration.hours(1)

    /// Five seconds, then twice as long each time, up to an hour; by chance a quarter less or more, so that messages which
    /// failed together are not all tried together again.
    /// - Parameters:
    ///   - attempts: how many there were, at least one.
    ///   - retryAfter: how long the other side asked to be left alone; kept to, up to an hour.
    ///   - random: anything, evenly spread.
    package static func delay(after attempts: Int64, retryAfter: Duration?, random: UInt64) -> Duration {
        let doublings = min(max(0, attempts - 1), 12)
        let usual = min(first * (1 << Int(doublings)), longest)
        let spread = Int64(random % 501) - 250
        let delay = usual + .milliseconds(usual.wholeMilliseconds / 1000 * spread)
        return max(delay, min(retryAfter ?? .zero, longest))
    }
}
