import Core

/// The pause after a failed delivery.
package enum DeliveryBackoff {
    private static let first = Duration.seconds(5)
    package static let longest = Duration.hours(1)

    /// Five seconds, doubled each time, up to an hour, with up to a quarter of jitter, so that messages that failed
    /// together are not all retried together.
    /// - Parameters:
    ///   - attempts: the attempts so far, at least one.
    ///   - retryAfter: the other side's `Retry-After`; respected up to an hour.
    ///   - random: evenly distributed.
    package static func delay(after attempts: Int64, retryAfter: Duration?, random: UInt64) -> Duration {
        let doublings = min(max(0, attempts - 1), 12)
        let usual = min(first * (1 << Int(doublings)), longest)
        let spread = Int64(random % 501) - 250
        let delay = usual + .milliseconds(usual.wholeMilliseconds / 1000 * spread)
        return max(delay, min(retryAfter ?? .zero, longest))
    }
}
