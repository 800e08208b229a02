/// How often something that may be sent twice is sent, and how long is waited in between.
struct RetryPolicy: Hashable, Sendable {
    var attempts: Int
    var base: Duration
    var cap: Duration
    /// A longer `Retry-After` is not waited for, but handed to the caller.
    var longestRetryAfter: Duration

    /// Never again: for what is not idempotent.
    static let once = RetryPolicy(attempts: 1, base: .zero, cap: .zero, longestRetryAfter: .zero)
    /// For what is idempotent.
    static let idempotent = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .seconds(5))

    /// For what must never be sent twice, but may be tried again while it has not been sent at all.
    static let untilSent = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .zero, repeats: .unsent)

    /// What may be repeated.
    enum Repeats: Hashable, Sendable {
        /// Only what certainly did not reach the server.
        case unsent
        /// Whatever got no answer, or the answer that the server cannot now.
        case anything
    }
    var repeats = Repeats.anything

    /// Whether the policy repeats after this failure.
    func allows(_ failure: TransportFailure) -> Bool {
        switch (repeats, failure.kind) {
        case (_, .untrusted), (.unsent, .lost): false
        case (.anything, _), (.unsent, .offline), (.unsent, .unreachable): true
        }
    }

    /// The wait before the next attempt ("full jitter": anything between nothing and the doubled base), or nil when
    /// there is none.
    /// - Parameters:
    ///   - made: how many attempts were made.
    ///   - retryAfter: what the server asked for.
    ///   - jitter: from 0 to 1.
    func wait(afterAttempts made: Int, retryAfter: Duration?, jitter: Double) -> Duration? {
        guard made < attempts else { return nil }
        if let retryAfter {
            return retryAfter <= longestRetryAfter ? retryAfter + base * jitter : nil
        }
        return min(cap, base * (1 << min(made - 1, 16))) * jitter
    }
}
