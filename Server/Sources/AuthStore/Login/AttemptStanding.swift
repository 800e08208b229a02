package import AuthCore

/// What is counted against a subject at one moment.
package struct AttemptStanding: Sendable, Hashable {
    /// The failures counted so far.
    package let failures: Int64
    /// Nothing is compared before; `nil` when something would be, or when ``isLocked``.
    package let heldUntil: Timestamp?
    /// Nothing is compared until somebody clears the subject.
    package let isLocked: Bool
}

extension Attempts {
    /// What is counted against a subject, without charging it.
    ///
    /// - Returns: `nil` when nothing is counted, or the count is over.
    /// - Throws: ``StoreError``.
    package static func standing(
        _ subject: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptStanding? {
        try connection.row(
            "SELECT failures, next_allowed_at FROM attempts WHERE subject = $1 AND expires_at > $2 AND failures > 0",
            [.blob(subject), .time(now)]
        ).map { row in
            let next = try row.time(1)
            let isLocked = next.milliseconds - now.milliseconds > forever / 2
            return AttemptStanding(
                failures: try row.integer(0), heldUntil: next > now && !isLocked ? next : nil, isLocked: isLocked)
        }
    }
}
