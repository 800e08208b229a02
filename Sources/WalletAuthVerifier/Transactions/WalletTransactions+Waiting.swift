public import WalletAuthWire

extension WalletTransactions {
    /// How long after its stated end a transaction may still be open: the server expires it by its own clock.
    private static let grace = Duration.seconds(60)

    /// The shortest pause between two calls that brought no news.
    private static let shortestPause = Duration.seconds(1)

    /// Waits until a transaction reaches a final state or the task is cancelled.
    ///
    /// It repeats calls of at most ``longestWait`` and continues while the server cannot be reached. A transaction
    /// lives at most 900 seconds, so the wait always ends, even if this backend's wall clock is wrong.
    ///
    /// - Parameter id: the transaction.
    /// - Returns: the report of the final state.
    /// - Throws: ``TransactionCallError``: `waitingCancelled` if the task was cancelled, which does not affect the
    ///   transaction; `transactionNotFound`; `temporarilyUnavailable` if the first call failed, or the server could not
    ///   be reached until the transaction had ended.
    public func outcome(of id: TransactionID) async throws(TransactionCallError) -> TransactionReport {
        try refuseCancelled()
        var report = try await asked(id, wait: .zero)
        let life = max(0, report.expiresAt.secondsSince1970 - report.createdAt.secondsSince1970)
        let deadline = uptime + .seconds(min(life, TransactionRequest.lifetimes.upperBound)) + Self.grace
        while !report.status.isFinal {
            let remaining = deadline - uptime
            guard remaining > .zero else {
                throw TransactionCallError(
                    .malformedAnswer, reason: "the server reports the transaction as open after its expiry")
            }
            let (began, before) = (uptime, report.status)
            do {
                report = try await asked(id, wait: min(remaining, Self.longestWait))
                // Don't poll without a pause if the server does not wait.
                guard report.status == before, uptime - began < Self.shortestPause else { continue }
                try await pause(Self.shortestPause)
            } catch {
                guard case .temporarilyUnavailable(let retryAfter) = error.cause, uptime < deadline else { throw error }
                // A proxy may send Retry-After: 0 for as long as the server is away.
                try await pause(min(max(retryAfter ?? .seconds(2), Self.shortestPause), deadline - uptime))
            }
        }
        return report
    }

    private var uptime: Duration { issuer.clock.uptime() }

    /// Reads a transaction. In a cancelled task, it reports the cancellation and not a broken connection.
    private func asked(_ id: TransactionID, wait: Duration) async throws(TransactionCallError) -> TransactionReport {
        do { return try await find(id, wait: wait) } catch {
            try refuseCancelled()
            throw error
        }
    }

    private func pause(_ duration: Duration) async throws(TransactionCallError) {
        do { try await issuer.clock.sleep(for: duration) } catch { throw Self.cancelled }
        try refuseCancelled()
    }

    private func refuseCancelled() throws(TransactionCallError) {
        if Task.isCancelled { throw Self.cancelled }
    }

    private static var cancelled: TransactionCallError {
        TransactionCallError(.waitingCancelled, reason: "the waiting task was cancelled")
    }
}
