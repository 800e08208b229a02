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
    /// The secret may be compared, once. What came of it is reported by ``Attempts/fail(_:on:)``,
    /// ``Attempts/succeed(_:on:)`` or ``Attempts/refund(_:on:)``.
    /// - `spent`: attempts that count, this one included: wrong ones, running ones, and ones whose outcome was lost.
    case compare(spent: Int64)
    /// Nothing may be compared before the time given; `nil` for a locked subject.
    case refuse(until: Timestamp?)
}

/// Attempts at a secret, each reserved before the secret is compared, and counted by its outcome.
///
/// A row keeps three counts. `pending` are reservations whose comparison runs, `failures` the secrets that were compared and
/// wrong, and `lost` the reservations without an outcome: the process ended first. All three are spent, and what is spent
/// limits what may be compared. Only failures lock: a crash is no wrong password, and no free guess either.
///
/// A subject is a digest of what is counted: an account with a known device, an account with all unknown ones, a network
/// address. What a failure leads to is the use case's to decide.
package enum Attempts {
    /// Longer than any comparison takes, its wait included: a reservation this old has lost its outcome.
    package static let longestComparison = Duration.minutes(1)

    /// The delays of a lockable subject with as many lost outcomes as it has free guesses. An attacker who can end the process in
    /// the middle of a comparison learns nothing from it; these delays keep the number of comparisons small.
    private static let afterLosses = (first: Duration.seconds(30), longest: Duration.hours(1))

    /// Reserves an attempt, and says whether its secret may be compared.
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
        try add(subject, isPending: true, under: policy, now: now, on: connection)
    }

    /// Counts what has no outcome to wait for, a message that is sent for instance, and says whether it may happen.
    ///
    /// Its parameters are those of ``reserve(_:under:now:on:)``.
    package static func count(
        _ subject: [UInt8], under policy: AttemptPolicy, now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        try add(subject, isPending: false, under: policy, now: now, on: connection)
    }

    /// Reports a secret that was compared and wrong.
    /// - Returns: the failures of the subject, this one included.
    @discardableResult
    package static func fail(_ subject: [UInt8], on connection: any SQLConnection) throws -> Int64 {
        try connection.row(
            """
            UPDATE attempts SET failures = failures + 1,
                lost = CASE WHEN pending > 0 OR lost = 0 THEN lost ELSE lost - 1 END,
                pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END
            WHERE subject = $1 RETURNING failures
            """, [.blob(subject)])?.integer(0) ?? 1
    }

    /// Reports a right secret: the count starts over. Comparisons that still run keep their places.
    package static func succeed(_ subject: [UInt8], on connection: any SQLConnection) throws {
        let isGone =
            try connection.execute(
                "DELETE FROM attempts WHERE subject = $1 AND pending <= 1", [.blob(subject)]) == 1
        if isGone { return }
        try connection.execute(
            """
            UPDATE attempts SET failures = 0, lost = 0, pending = pending - 1, next_allowed_at = 0 WHERE subject = $1
            """, [.blob(subject)])
    }

    /// Takes one reservation back and leaves the rest: nothing was compared, or the secret was right but the subject is
    /// shared (a network address), and the owner of one account must not wash away the guesses at others.
    package static func refund(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE attempts SET lost = CASE WHEN pending > 0 THEN lost ELSE lost - 1 END,
                pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END, next_allowed_at = 0
            WHERE subject = $1 AND pending + lost > 0
            """, [.blob(subject)])
    }

    /// Forgets everything of a subject.
    package static func clear(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM attempts WHERE subject = $1", [.blob(subject)])
    }

    /// Writes a subject's row as it is: what costs as much as recording something of it, where nothing is to be recorded.
    package static func touch(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("UPDATE attempts SET tries = tries WHERE subject = $1", [.blob(subject)])
    }

    /// Counts all running comparisons as lost: at start, when their process is gone. One process owns a database, and no more
    /// rows are pending than it compared at once.
    package static func abandonPending(on connection: any SQLConnection) throws {
        try connection.execute("UPDATE attempts SET lost = lost + pending, pending = 0 WHERE pending > 0", [])
    }

    private static func add(
        _ subject: [UInt8], isPending: Bool, under policy: AttemptPolicy, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> AttemptReservation {
        let locks: Bool
        let delay: (first: Duration, longest: Duration)
        switch policy.afterwards {
        case .delay(let first, let longest): (locks, delay) = (false, (first, longest))
        case .locked: (locks, delay) = (true, afterLosses)
        }
        // Guesses that may be wrong or running at once; where nothing locks, only time limits them.
        let places = locks ? policy.free : forever
        let first = max(1, delay.first.wholeMilliseconds)
        let longest = max(first, delay.longest.wholeMilliseconds)
        // A count forgotten when its delay is over would hand out free guesses for patience: it is kept for as long
        // again.
        let keptFor = locks ? forever : max(policy.forgottenAfter.wholeMilliseconds, 2 * longest)
        // `$8` doublings reach the longest delay; counting them here keeps the shift in the statement from overflowing.
        var doublings: Int64 = 0
        while doublings < 40, first << doublings < longest { doublings += 1 }
        let row = try connection.row(
            addition,
            [
                .blob(subject), .time(now), .integer(policy.free), .integer(first), .integer(isPending ? 1 : 0),
                .integer(longest), .integer(keptFor), .integer(doublings), .integer(places),
                .time(now - longestComparison), .integer(locks ? 1 : 0),
            ])
        guard let row else { throw StoreError(.unexpectedRow, "an attempt was neither inserted nor updated") }
        let failures = try row.integer(1)
        if try row.integer(0) == 1 { return .compare(spent: failures + (try row.integer(2))) }
        let until = try row.time(3)
        if failures >= places || isForever(until, from: now) { return .refuse(until: nil) }
        // All places are taken by comparisons that run: one of them may be right, and ends any moment.
        return .refuse(until: until > now ? until : now + .seconds(1))
    }

    private static let addition: String = {
        let isOver = "attempts.expires_at <= $2"
        let isStale = "attempts.last_at <= $10"
        let isHeld = """
            (attempts.expires_at > $2 AND (attempts.next_allowed_at > $2 OR attempts.failures >= $9
                OR (attempts.failures + attempts.pending >= $9 AND NOT \(isStale))))
            """
        // What the delay grows with: everything that is spent; where failures lock, what was lost.
        let growth = """
            CASE WHEN $11 = 0 THEN attempts.failures + attempts.pending + attempts.lost + 1
                WHEN \(isStale) THEN attempts.lost + attempts.pending ELSE attempts.lost END
            """
        return """
            INSERT INTO attempts
                (subject, tries, failures, pending, lost, compared, last_at, next_allowed_at, expires_at)
            VALUES ($1, 1, 1 - $5, $5, 0, 1, $2, CASE WHEN $3 <= 1 AND $11 = 0 THEN $2 + $4 ELSE 0 END, $2 + $7)
            ON CONFLICT (subject) DO UPDATE SET
                tries = CASE WHEN \(isOver) THEN 1 ELSE attempts.tries + 1 END,
                failures = CASE WHEN \(isOver) THEN 1 - $5 WHEN \(isHeld) THEN attempts.failures
                    ELSE attempts.failures + 1 - $5 END,
                pending = CASE WHEN \(isOver) THEN $5 WHEN \(isHeld) THEN attempts.pending
                    WHEN \(isStale) THEN $5 ELSE attempts.pending + $5 END,
                lost = CASE WHEN \(isOver) THEN 0 WHEN \(isHeld) THEN attempts.lost
                    WHEN \(isStale) THEN attempts.lost + attempts.pending ELSE attempts.lost END,
                compared = CASE WHEN \(isHeld) THEN 0 ELSE 1 END,
                last_at = CASE WHEN \(isHeld) THEN attempts.last_at ELSE $2 END,
                next_allowed_at = CASE
                    WHEN \(isOver) THEN CASE WHEN $3 <= 1 AND $11 = 0 THEN $2 + $4 ELSE 0 END
                    WHEN \(isHeld) THEN attempts.next_allowed_at
                    WHEN \(growth) < $3 THEN 0
                    WHEN \(growth) - $3 >= $8 THEN $2 + $6
                    ELSE $2 + ($4 << CAST(\(growth) - $3 AS INTEGER)) END,
                expires_at = CASE WHEN \(isHeld) THEN attempts.expires_at ELSE $2 + $7 END
            RETURNING compared, failures, pending + lost, next_allowed_at
            """
    }()

    /// Whether a subject is held without an end.
    static func isForever(_ until: Timestamp, from now: Timestamp) -> Bool {
        until.milliseconds - now.milliseconds > forever / 2
    }

    /// Ten thousand years in milliseconds: far beyond every clock, and far from overflow when added to a time.
    private static let forever: Int64 = 315_576_000_000_000
}
