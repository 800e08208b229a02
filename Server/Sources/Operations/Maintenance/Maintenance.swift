internal import Core
internal import Kernel
internal import SignIn
internal import Store

/// The work that is due by time and not by a request.
package struct Maintenance: Sendable {
    let database: any Database
    let clock: any Clock
    let clocks: ClockMonitor
    let keyRing: KeyRing
    let keyRotation: KeyRotation
    let lockout: PINLockout
    let expired: ExpiredRows
    let erasures: DueErasures
    let webhooks: WebhookSurplus
    let audit: Audit

    /// Activates signing keys that are due, reloads the keys, locks PINs whose last try was never answered, erases
    /// accounts whose holders closed them, removes expired
    /// rows in small batches and what too many webhooks wait for, and creates a checkpoint of the audit log if due. Call it about once a minute.
    ///
    /// Of several processes on one database only one does this; the others reload their keys. Nothing is done by a time that the
    /// clocks do not agree on.
    /// - Returns: the number of rows removed.
    @discardableResult
    package func run() async throws -> Int {
        let now = clock.now()
        // After the time was read, so that a leap before it is noticed.
        let verdict = await clocks.compare()
        guard verdict.allowsRequests else { return 0 }
        guard await database.leads() else {
            try await keyRing.reload(now: now)
            return 0
        }
        if verdict.allowsRemoval { _ = try await keyRotation.advance(now: now) }
        try await keyRing.reload(now: now)
        try await lockout.lockUnansweredTries(now: now)
        if verdict.allowsRemoval { try await erasures.run(now: expired.end(at: now)) }
        let removed = verdict.allowsRemoval ? try await expired.remove(now: now) : 0
        try await webhooks.drop(now: now)
        try await audit.checkpointIfDue(now: now)
        return removed
    }
}

/// Removes the rows that have expired. The clocks have to agree.
package struct ExpiredRows: Sendable {
    let database: any Database
    let clocks: ClockMonitor

    /// The clocks of two processes may differ by twice what each may differ from the database's. A process whose clock is behind
    /// may still need a row that has expired here.
    private static let longestClockDifference = Duration.seconds(5)

    /// The time until which rows may be removed.
    func end(at now: Timestamp) -> Timestamp {
        database.group == nil ? now : clocks.earlierTime(at: now) - Self.longestClockDifference
    }

    /// - Returns: the number of rows removed.
    func remove(now: Timestamp) async throws -> Int {
        try await clocks.record()
        return try await Sweep.run(database, now: end(at: now), observed: clocks.retentionEnd(at: now))
    }
}
