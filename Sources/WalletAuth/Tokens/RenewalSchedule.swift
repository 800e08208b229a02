/// When a token is renewed, in uptime.
struct RenewalSchedule: Hashable, Sendable {
    /// From here on, calls trigger a renewal in the background.
    var renewFrom: Duration
    /// From here on, calls wait for the renewal.
    var expiresAt: Duration

    /// Schedules the renewal of a token that is valid for `remaining`.
    ///
    /// Renewal begins in the last fifth of the lifetime, at most a minute before the end, moved forward by up to half
    /// of that so that apps that started together do not renew together. A token counts as expired a moment early (a
    /// twentieth, at most five seconds), because its request takes time to arrive.
    /// - Parameters:
    ///   - remaining: the remaining validity; nil if the server never said it, so that only a 401 tells.
    ///   - lifetime: the whole lifetime, if known.
    ///   - jitter: from 0 to 1.
    init(remaining: Duration?, lifetime: Duration?, now: Duration, jitter: Double) {
        guard let remaining else {
            renewFrom = .seconds(Int64.max / 4)
            expiresAt = renewFrom
            return
        }
        let whole = max(lifetime ?? remaining, .zero)
        let margin = min(.seconds(5), whole / 20)
        let window = min(.seconds(60), whole / 5)
        expiresAt = now + remaining - margin
        renewFrom = expiresAt - window * (1 - 0.5 * min(max(jitter, 0), 1))
    }
}
