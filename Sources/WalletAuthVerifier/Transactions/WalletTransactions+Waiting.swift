public import WalletAuthWire

extension WalletTransactions {
    /// How much later than it said a transaction may end: the server sets its state to expired by its own clock.
    private static let grace = Duration.seconds(60)

    /// Waits until a transaction has reached a final state, or the task is cancelled.
    ///
    /// It waits by repeated calls of at most ``longestWait`` and carries on while the server cannot be reached. A transaction
    /// lives 900 seconds at most, so the wait ends in any case, whatever this backend's wall clock says.
    /// - Parameter id: the transaction.
    /// - Returns: the report of the final state.
    /// - Throws: ``TransactionCallError``: `waitingCancelled` where the task was cancelled, which leaves the transaction as it is;
    ///   `transactionNotFound`; `temporarilyUnavailable` where the server could not be asked first, or until the transaction
    ///   was over.
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
                // A server that does not wait must not be asked without a pause.
                guard report.status == before, uptime - began < .seconds(1) else { continue }
                try await pause(.seconds(1))
            } catch {
                guard case .temporarilyUnavailable(let retryAfter) = error.cause, uptime < deadline else { throw error }
                try await pause(min(retryAfter ?? .seconds(2), deadline - uptime))
            }
        }
        return report
    }

    private var uptime: Duration { issuer.clock.uptime() }

    /// Reads a transaction. A cancelled task is told so, rather than that the connection broke.
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
        TransactionCallError(.waitingCancelled, reason: "the task that waited for the transaction was cancelled")
    }
}
