package import AuthCore

/// How many wrong guesses a subject has, and what it costs to go on.
package struct AttemptPolicy: Sendable, Hashable {
    /// What follows the free guesses.
    package enum Afterwards: Sendable, Hashable {
        /// One guess after each delay, which doubles from the first to the longest.
        case delay(first: Duration, longest: Duration)
        /// No guess at all until somebody clears the subject.
        case locked
    }

    /// Guesses compared before anything slows down; at least 1.
    package let free: Int64
    /// What follows them.
    package let afterwards: Afterwards
    /// How long after the last one the count starts anew; a subject that is ``Afterwards/locked`` is not forgotten.
    package let forgottenAfter: Duration

    /// Each parameter is the property of its name.
    package init(free: Int64, afterwards: Afterwards, forgottenAfter: Duration) {
        self.free = max(1, free)
        self.afterwards = afterwards
        self.forgottenAfter = forgottenAfter
    }
}

/// The answer to a reservation.
package enum AttemptReservation: Sendable, Hashable {
    /// The secret may be compared, once; it counts as failed until ``Attempts/clear(_:on:)`` says otherwise.
    /// - `failures`: counted so far, this one included.
    case compare(failures: Int64)
    /// Nothing may be compared before the time given, or ever when it is `nil`.
    case refuse(until: Timestamp?)
}

/// Failure counters, each attempt charged before its secret is compared.
///
/// A subject is a digest of what is counted: an account with a known device, an account with all unknown ones, a network
/// address. What a failure leads to is the use case's to decide.
package enum Attempts {
    /// Charges an attempt, and says whether its secret may be compared.
    ///
    /// One statement decides and counts: of a thousand callers at once exactly the free ones compare, and all thousand
    /// are counted. Attempts made while refused prolong nothing, so that a stranger cannot hold somebody out forever.
    ///
    /// - Parameters:
    ///   - subject: a digest of 16 to 32 bytes.
    ///   - policy: the limits.
    ///   - now: the present.
    ///   - connection: the connection of a write.
    /// - Returns: whether to compare.
    /// - Throws: ``StoreError``.
    package static func reserve(
        _ subject: [UInt8], under policy: AttemptPolicy, now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        let first: Int64
        let longest: Int64
        let keptFor: Int64
        switch policy.afterwards {
        case .delay(let shortest, let most):
            first = max(1, shortest.wholeMilliseconds)
            longest = max(first, most.wholeMilliseconds)
            // A count forgotten when its delay is over would hand out free guesses to whoever waits: it is kept for as
            // long again.
            keptFor = max(policy.forgottenAfter.wholeMilliseconds, 2 * longest)
        case .locked:
            first = forever
            longest = forever
            keptFor = forever
        }
        // `$8` doublings reach the longest delay; counting them here keeps the shift in the statement from overflowing.
        var doublings: Int64 = 0
        while doublings < 40, first << doublings < longest { doublings += 1 }

        // "Over" reads: the row has expired, so that this attempt is the first of a new count.
        // "Held" reads: the time of the next allowed attempt is still to come.
        let row = try connection.row(
            """
            INSERT INTO attempts (subject, tries, failures, compared, last_at, next_allowed_at, expires_at)
            VALUES ($1, 1, 1, 1, $2, CASE WHEN $3 <= 1 THEN $2 + $4 ELSE 0 END, $2 + $7)
            ON CONFLICT (subject) DO UPDATE SET
                tries = CASE WHEN attempts.expires_at <= $2 THEN 1 ELSE attempts.tries + 1 END,
                failures = CASE WHEN attempts.expires_at <= $2 THEN 1
                    WHEN attempts.next_allowed_at > $2 THEN attempts.failures ELSE attempts.failures + 1 END,
                compared = CASE WHEN attempts.expires_at > $2 AND attempts.next_allowed_at > $2 THEN 0 ELSE 1 END,
                last_at = CASE WHEN attempts.expires_at > $2 AND attempts.next_allowed_at > $2
                    THEN attempts.last_at ELSE $2 END,
                next_allowed_at = CASE
                    WHEN attempts.expires_at <= $2 THEN CASE WHEN $3 <= 1 THEN $2 + $4 ELSE 0 END
                    WHEN attempts.next_allowed_at > $2 THEN attempts.next_allowed_at
                    WHEN attempts.failures + 1 < $3 THEN 0
                    WHEN attempts.failures + 1 - $3 >= $6 THEN $2 + $5
                    ELSE $2 + ($4 << CAST(attempts.failures + 1 - $3 AS INTEGER)) END,
                expires_at = CASE WHEN attempts.expires_at > $2 AND attempts.next_allowed_at > $2
                    THEN attempts.expires_at ELSE $2 + $7 END
            RETURNING compared, failures, next_allowed_at
            """,
            [
                .blob(subject), .time(now), .integer(policy.free), .integer(first), .integer(longest),
                .integer(doublings), .integer(keptFor),
            ])
        guard let row else { throw StoreError(.unexpectedRow, "an attempt was neither inserted nor updated") }
        if try row.integer(0) == 1 { return .compare(failures: try row.integer(1)) }
        let until = try row.time(2)
        return .refuse(until: until.milliseconds - now.milliseconds > forever / 2 ? nil : until)
    }

    /// Forgets a subject's failures: its secret was right, or an operator says so.
    package static func clear(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM attempts WHERE subject = $1", [.blob(subject)])
    }

    /// Writes a subject's row as it is: what costs as much as recording something of it, where nothing is to be recorded.
    package static func touch(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("UPDATE attempts SET tries = tries WHERE subject = $1", [.blob(subject)])
    }

    /// Takes one charge back and leaves the others: the secret was right, but the subject is shared (a network address),
    /// and whoever owns one account must not wash away the guesses at others.
    package static func refund(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE attempts SET failures = failures - 1, next_allowed_at = 0 WHERE subject = $1 AND failures > 0",
            [.blob(subject)])
    }

    /// Until when nothing would be compared for a subject, without charging it; `nil` when something would be.
    package static func held(
        _ subject: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try connection.row(
            "SELECT next_allowed_at FROM attempts WHERE subject = $1 AND expires_at > $2 AND next_allowed_at > $2",
            [.blob(subject), .time(now)])?.time(0)
    }

    /// When an attempt at a subject was last allowed and charged; `nil` when none was.
    package static func lastCharged(_ subject: [UInt8], on connection: any SQLConnection) throws -> Timestamp? {
        try connection.row("SELECT last_at FROM attempts WHERE subject = $1", [.blob(subject)])?.time(0)
    }

    /// Ten thousand years in milliseconds: far beyond every clock, and far from overflow when added to a time.
    static let forever: Int64 = 315_576_000_000_000
}
