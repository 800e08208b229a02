package import AuthCore

/// What is counted against a subject at one moment.
package struct AttemptState: Sendable, Hashable {
    /// The secrets that were compared and wrong.
    package let failures: Int64
    /// The attempts without an outcome: still running, or lost with their process.
    package let unanswered: Int64
    /// Nothing is compared before; `nil` when something would be, or when the subject is locked.
    package let heldUntil: Timestamp?
}

extension Attempts {
    /// What is counted against a subject, without charging it.
    ///
    /// - Returns: `nil` when nothing is counted, or the count is over.
    /// - Throws: ``StoreError``.
    package static func state(
        _ subject: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptState? {
        try connection.row(
            """
            SELECT failures, pending + lost, next_allowed_at FROM attempts
            WHERE subject = $1 AND expires_at > $2 AND failures + pending + lost > 0
            """, [.blob(subject), .time(now)]
        ).map { row in
            let next = try row.time(2)
            return AttemptState(
                failures: try row.integer(0), unanswered: try row.integer(1),
                heldUntil: next > now && !isForever(next, from: now) ? next : nil)
        }
    }
}
