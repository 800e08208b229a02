internal import Core
package import Kernel
internal import SignIn
internal import Store

/// The work that is due by time and not by a request.
package struct Maintenance: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Activates signing keys that are due, reloads the keys, locks PINs whose last try was never answered, removes expired
    /// rows in small batches, and creates a checkpoint of the audit log if due. Call it about once a minute.
    ///
    /// Of several processes on one database only one does this; the others reload their keys. Nothing is done by a time that the
    /// clocks do not agree on.
    /// - Returns: the number of rows removed.
    @discardableResult
    package func run() async throws -> Int {
        let now = context.clock.now()
        // After the time was read, so that a leap before it is noticed.
        let verdict = await context.clocks.compare()
        guard verdict.allowsRequests else { return 0 }
        guard await context.database.leads() else {
            try await context.keyRing.reload(now: now)
            return 0
        }
        if verdict.allowsRemoval { _ = try await context.keyRotation.advance(now: now) }
        try await context.keyRing.reload(now: now)
        try await PINLockout(context: context).lockUnansweredTries(now: now)
        var removed = 0
        if verdict.allowsRemoval {
            try await context.clocks.record()
            removed = try await Sweep.run(
                context.database, now: context.sweepTime(at: now), observed: context.clocks.retentionEnd(at: now))
        }
        try await Audit(context: context).checkpointIfDue(now: now)
        return removed
    }
}
