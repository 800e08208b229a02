/// How often a repeatable request is sent, and the pauses in between.
struct RetryPolicy: Hashable, Sendable {
    var attempts: Int
    var base: Duration
    var cap: Duration
    /// A longer `Retry-After` is passed to the caller instead of awaited.
    var longestRetryAfter: Duration

    /// Never again: for requests that are not idempotent.
    static let once = RetryPolicy(attempts: 1, base: .zero, cap: .zero, longestRetryAfter: .zero)
    /// For idempotent requests.
    static let idempotent = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .seconds(5))

    /// For requests that must never be sent twice, but may be retried until they are sent.
    static let untilSent = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .zero, repeats: .unsent)

    /// For requests that the server answers differently the second time: retried only if the server certainly did not
    /// act.
    static let untilActedOn = RetryPolicy(
        attempts: 3, base: .milliseconds(200), cap: .seconds(2), longestRetryAfter: .seconds(5), repeats: .notActedOn)

    /// The failures after which to repeat.
    enum Repeats: Hashable, Sendable {
        /// Only failures that certainly did not reach the server.
        case unsent
        /// Failures that did not reach the server, and requests that it turned away unread: 429 and 503.
        case notActedOn
        /// Any missing answer, and any temporary failure of the server.
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

    /// The pause before the next attempt ("full jitter": anything up to the doubled base), or nil if there is none.
    /// - Parameters:
    ///   - made: the number of attempts so far.
    ///   - retryAfter: the server's `Retry-After`.
    ///   - jitter: from 0 to 1.
    func wait(afterAttempts made: Int, retryAfter: Duration?, jitter: Double) -> Duration? {
        guard made < attempts else { return nil }
        if let retryAfter {
            return retryAfter <= longestRetryAfter ? retryAfter + base * jitter : nil
        }
        return min(cap, base * (1 << min(made - 1, 16))) * jitter
    }
}
