package import AuthCore

/// The counts of a subject at one moment.
package struct AttemptState: Sendable, Hashable {
    /// Secrets that were compared and wrong.
    package let failures: Int64
    /// Attempts without a result: running, or lost with their process.
    package let unanswered: Int64
    /// Nothing is compared before this time; `nil` if a comparison is allowed or the subject is locked.
    package let heldUntil: Timestamp?
}

extension Attempts {
    /// Reads a subject's counts without charging it.
    /// - Returns: `nil` if nothing is counted, or the count has expired.
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
