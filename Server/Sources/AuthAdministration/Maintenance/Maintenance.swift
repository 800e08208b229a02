internal import AuthCore
internal import AuthCredentials
internal import AuthEvents
package import AuthFoundation
internal import AuthStore

/// The work that is due by time and not by a request.
package struct Maintenance: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    /// Activates signing keys that are due, reloads the keys, locks PINs whose last try was never answered, removes expired
    /// rows in small batches, and creates a checkpoint of the audit log if due. Call it about once a minute.
    ///
    /// Of several processes on one database only one does this; the others reload their keys.
    /// - Returns: the number of rows removed.
    @discardableResult
    package func run() async throws -> Int {
        let now = context.clock.now()
        guard await context.leads() else {
            try await context.keyRing.reload(now: now)
            return 0
        }
        _ = try await context.keyRotation.advance(now: now)
        try await context.keyRing.reload(now: now)
        try await PINLockout(context: context).lockUnansweredTries(now: now)
        let removed = try await Sweep.run(context.database, now: context.sweepTime(at: now))
        try await Audit(context: context).checkpointIfDue(now: now)
        return removed
    }
}
