package import Core
package import Store

/// The limit of wrong guesses at a subject, and the consequence.
package struct AttemptPolicy: Sendable, Hashable {
    /// The consequence once the free guesses are used up.
    package enum Afterwards: Sendable, Hashable {
        /// One guess after each delay, which doubles from the first to the longest.
        case delay(first: Duration, longest: Duration)
        /// No guess until the subject is cleared.
        case locked
    }

    /// The moment from which a count is kept.
    package enum Beginning: Sendable, Hashable {
        /// Every guess prolongs it, so that patience earns nothing.
        case lastGuess
        /// It restarts at a fixed time, and ends a delay. For a subject that is never quiet, such as an address that
        /// thousands of people share: a count that every attempt prolongs would never be forgotten there.
        case firstGuess
    }

    /// The guesses compared without delay; at least 1.
    package let free: Int64
    package let afterwards: Afterwards
    /// The time after which the count restarts; a ``Afterwards/locked`` subject keeps its count.
    package let forgottenAfter: Duration
    /// The guess from which that time runs.
    package let beginning: Beginning

    package init(
        free: Int64, afterwards: Afterwards, forgottenAfter: Duration, since beginning: Beginning = .lastGuess
    ) {
        self.free = max(1, free)
        self.afterwards = afterwards
        self.forgottenAfter = forgottenAfter
        self.beginning = beginning
    }
}

/// A subject, and the limit that it is counted under.
package struct AttemptLimit: Sendable, Hashable {
    package let subject: [UInt8]
    package let policy: AttemptPolicy

    package init(_ subject: [UInt8], under policy: AttemptPolicy) {
        self.subject = subject
        self.policy = policy
    }
}

package enum AttemptReservation: Sendable, Hashable {
    /// The secret may be compared, once. Report the result with ``Attempts/fail(_:on:)``, ``Attempts/succeed(_:on:)``
    /// or ``Attempts/refund(_:on:)``.
    /// - `spent`: the attempts that count, including this one: wrong, running, and those whose result was lost.
    case compare(spent: Int64)
    /// Nothing may be compared before the given time; `nil` for a locked subject.
    case refuse(until: Timestamp?)
}

/// Attempts at a secret, each reserved before the comparison and counted by its result.
///
/// A row has three counts. `pending` are reservations whose comparison is running, `failures` are secrets that were
/// wrong, and `lost` are reservations without a result because the process ended first. All three count against the
/// limit of comparisons. Only failures lock: a crash is neither a wrong password nor a free guess.
///
/// A subject is a digest of the counted entity: an account with a known device, an account with all unknown devices, a
/// network address. The consequence of a failure is the caller's decision.
package enum Attempts {
    /// Longer than any comparison takes, including its wait. An older reservation has lost its result.
    package static let longestComparison = Duration.minutes(1)

    /// The delays of a lockable subject after as many lost results as it has free guesses. An attacker who can end the
    /// process during a comparison learns nothing from it; these delays also keep the number of comparisons small.
    private static let afterLosses = (first: Duration.seconds(30), longest: Duration.hours(1))

    /// Reserves an attempt and decides whether its secret may be compared.
    ///
    /// One statement decides and counts: of a thousand concurrent callers only the free ones compare, and all are
    /// counted. Refused attempts do not prolong a delay, so that an attacker cannot keep the holder out forever.
    /// - Parameter subject: a digest of 16 to 32 bytes.
    package static func reserve(
        _ subject: [UInt8], under policy: AttemptPolicy, now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        try add(subject, isPending: true, under: policy, now: now, on: connection)
    }

    /// Counts an action without a result, such as sending a message, and decides whether it may happen.
    package static func count(
        _ subject: [UInt8], under policy: AttemptPolicy, now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        try add(subject, isPending: false, under: policy, now: now, on: connection)
    }

    /// Counts an action that several limits of delays apply to: under all of them if all allow it, and otherwise under
    /// none.
    package static func count(
        _ limits: [AttemptLimit], now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        if let held = try heldUntil(limits, now: now, on: connection) { return .refuse(until: held) }
        for limit in limits { _ = try count(limit.subject, under: limit.policy, now: now, on: connection) }
        return .compare(spent: 1)
    }

    /// Reports a wrong secret.
    /// - Returns: the failures of the subject, including this one.
    @discardableResult
    package static func fail(_ subject: [UInt8], on connection: any SQLConnection) throws -> Int64 {
        try connection.row(
            """
            UPDATE attempts SET failures = failures + 1,
                lost = CASE WHEN pending > 0 OR lost = 0 THEN lost ELSE lost - 1 END,
                pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END
            WHERE subject = $1 RETURNING failures
            """, [.blob(subject)])?.integer("failures") ?? 1
    }

    /// Reports a correct secret, which resets the count. Running comparisons keep their reservations.
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

    /// Takes back one reservation and keeps the rest: nothing was compared, or the secret was correct but the subject
    /// is shared (a network address), and the holder of one account must not clear the guesses at others.
    package static func refund(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE attempts SET lost = CASE WHEN pending > 0 THEN lost ELSE lost - 1 END,
                pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END, next_allowed_at = 0
            WHERE subject = $1 AND pending + lost > 0
            """, [.blob(subject)])
    }

    /// - Returns: whether anything was counted.
    @discardableResult
    package static func clear(_ subject: [UInt8], on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM attempts WHERE subject = $1", [.blob(subject)]) == 1
    }

    /// Rewrites a subject's row unchanged. This costs as much as recording an attempt, when there is none to record.
    package static func touch(_ subject: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute("UPDATE attempts SET tries = tries WHERE subject = $1", [.blob(subject)])
    }

    /// Counts all running comparisons as lost. Call this at the start of a process that has the database for itself, so
    /// that their process has ended. There are no more rows than comparisons that were running.
    ///
    /// If other processes use the database, do not: a reservation without a result counts as lost by itself once it is
    /// older than ``longestComparison``.
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
        // The guesses that may be wrong or running at once. If nothing locks, only time limits them.
        let places = locks ? policy.free : forever
        let first = max(1, delay.first.wholeMilliseconds)
        let longest = max(first, delay.longest.wholeMilliseconds)
        let isWindow = policy.beginning == .firstGuess
        // If a count were deleted at the end of its delay, patience would earn free guesses. It is kept for as long
        // again, unless its end is fixed.
        let memory = max(1, policy.forgottenAfter.wholeMilliseconds)
        let keptFor = locks ? forever : isWindow ? memory : max(memory, 2 * longest)
        // `$8` doublings reach the longest delay. Counting them here keeps the statement's shift from overflowing.
        var doublings: Int64 = 0
        while doublings < 40, first << doublings < longest { doublings += 1 }
        let row = try connection.row(
            addition,
            [
                .blob(subject), .time(now), .integer(policy.free), .integer(first), .integer(isPending ? 1 : 0),
                .integer(longest), .integer(keptFor), .integer(doublings), .integer(places),
                .time(now - longestComparison), .integer(locks ? 1 : 0), .integer(isWindow ? 1 : 0),
            ])
        guard let row else { throw StoreError(.unexpectedRow, "an attempt was neither inserted nor updated") }
        let failures = try row.integer("failures")
        if try row.integer("compared") == 1 {
            return .compare(spent: failures + (try row.integer("unanswered")))
        }
        let until = min(try row.time("next_allowed_at"), try row.time("expires_at"))
        if failures >= places || isForever(until, from: now) { return .refuse(until: nil) }
        // All places are taken by running comparisons. One of them may be correct, and ends at any moment.
        return .refuse(until: until > now ? until : now + .seconds(1))
    }

    private static let addition: String = {
        let isOver = "attempts.expires_at <= $2"
        let isStale = "attempts.last_at <= $10"
        let isHeld = """
            (attempts.expires_at > $2 AND (attempts.next_allowed_at > $2 OR attempts.failures >= $9
                OR (attempts.failures + attempts.pending >= $9 AND NOT \(isStale))))
            """
        // The delay grows with all attempts spent or, if failures lock, with the lost ones.
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
                expires_at = CASE WHEN \(isOver) THEN $2 + $7 WHEN $12 = 1 OR \(isHeld) THEN attempts.expires_at
                    ELSE $2 + $7 END
            RETURNING compared, failures, pending + lost AS unanswered, next_allowed_at, expires_at
            """
    }()

    /// When the last of several delays ends; `nil` if none is running.
    package static func heldUntil(
        _ limits: [AttemptLimit], now: Timestamp, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try limits.compactMap { try state($0.subject, now: now, on: connection)?.heldUntil }.max()
    }

    /// Whether a subject is held without an end.
    static func isForever(_ until: Timestamp, from now: Timestamp) -> Bool {
        until.milliseconds - now.milliseconds > forever / 2
    }

    /// Ten thousand years in milliseconds: beyond every clock, and far from overflow when added to a time.
    private static let forever: Int64 = 315_576_000_000_000
}

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
            SELECT failures, pending + lost AS unanswered, next_allowed_at, expires_at FROM attempts
            WHERE subject = $1 AND expires_at > $2 AND failures + pending + lost > 0
            """, [.blob(subject), .time(now)]
        ).map { row in
            // A count with a fixed end takes its delay with it.
            let next = min(try row.time("next_allowed_at"), try row.time("expires_at"))
            return AttemptState(
                failures: try row.integer("failures"), unanswered: try row.integer("unanswered"),
                heldUntil: next > now && !isForever(next, from: now) ? next : nil)
        }
    }
}
