/// How often a repeatable request is sent, and the pauses in between.
package struct RetryPolicy: Hashable, Sendable {
    var attempts: Int
    var base: Duration = .milliseconds(200)
    var cap: Duration = .seconds(2)
    /// A longer `Retry-After` is passed to the caller instead of awaited.
    var longestRetryAfter: Duration
    /// The failures after which to repeat.
    package var repeats = Repeats.anything

    /// The failures after which to repeat.
    package enum Repeats: Hashable, Sendable {
        /// Only failures that certainly did not reach the server.
        case unsent
        /// Failures that did not reach the server, and requests that it turned away unread: 429 and 503.
        case notActedOn
        /// Any missing answer, and what a gateway or an overloaded server returns in its place: 502, 503 and 504.
        case unanswered
        /// Any missing answer, and any temporary failure of the server.
        case anything
    }

    /// Never again: for requests that are not idempotent.
    package static let once = RetryPolicy(attempts: 1, longestRetryAfter: .zero)
    /// For idempotent requests.
    package static let idempotent = RetryPolicy(attempts: 3, longestRetryAfter: .seconds(5))

    /// For requests that must never be sent twice, but may be retried until they are sent.
    package static let untilSent = RetryPolicy(attempts: 3, longestRetryAfter: .zero, repeats: .unsent)

    /// For requests that the server answers differently the second time: retried only if the server certainly did not
    /// act.
    package static let untilActedOn = RetryPolicy(attempts: 3, longestRetryAfter: .seconds(5), repeats: .notActedOn)

    /// For idempotent requests to any resource server, whose own refusals and faults are the caller's to handle.
    package static let unanswered = RetryPolicy(attempts: 3, longestRetryAfter: .seconds(5), repeats: .unanswered)

    /// Whether the status says that the server cannot answer right now.
    package static func isTemporaryFailure(_ status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status)
    }

    /// Whether the policy repeats after an answer with this status.
    package func allows(status: Int) -> Bool {
        switch repeats {
        case .unsent: false
        case .notActedOn: status == 429 || status == 503
        case .unanswered: (502...504).contains(status)
        case .anything: Self.isTemporaryFailure(status)
        }
    }

    /// The pause before the next attempt ("full jitter": anything up to the doubled base, so that clients don't all come
    /// back at once), or nil if there is none.
    /// - Parameters:
    ///   - made: the number of attempts so far.
    ///   - retryAfter: the server's `Retry-After`.
    ///   - jitter: from 0 to 1.
    package func wait(afterAttempts made: Int, retryAfter: Duration?, jitter: Double) -> Duration? {
        guard made < attempts else { return nil }
        if let retryAfter {
            return retryAfter <= longestRetryAfter ? retryAfter + base * jitter : nil
        }
        return min(cap, base * (1 << min(made - 1, 16))) * jitter
    }
}
