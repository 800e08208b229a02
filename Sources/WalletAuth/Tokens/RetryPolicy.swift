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

    /// For what the server answers in another way the second time: again only while it certainly was not acted on.
    static let untilActedOn = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .seconds(5), repeats: .notActedOn)

    /// What may be repeated.
    enum Repeats: Hashable, Sendable {
        /// Only what certainly did not reach the server.
        case unsent
        /// What did not reach the server, and what it turned away unread: 429 and 503.
        case notActedOn
        /// Whatever got no answer, or the answer that the server cannot now.
        case anything
    }
    var repeats = Repeats.anything

    /// Whether the policy repeats after this failure.
    func allows(_ failure: TransportFailure) -> Bool {
        switch (repeats, failure.kind) {
        case (_, .untrusted), (.unsent, .lost), (.notActedOn, .lost): false
        case (.anything, _), (_, .offline), (_, .unreachable): true
        }
    }

    /// Whether the policy repeats after this answer.
    func allows(_ answer: ServerAnswer) -> Bool {
        switch repeats {
        case .unsent: false
        case .notActedOn: answer.status == 429 || answer.status == 503
        case .anything: answer.isTemporaryFailure
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
