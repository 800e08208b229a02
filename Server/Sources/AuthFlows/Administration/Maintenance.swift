internal import AuthCore
internal import AuthStore

/// What the server does by itself while it runs.
package struct Maintenance: Sendable {
    let context: ServerContext

    /// Does what is due: lets published signing keys sign, reads the keys anew, locks PINs whose last try was never
    /// answered, removes expired rows a small batch at a time, and makes a checkpoint of the audit log. To be called every minute or so.
    /// - Returns: how many rows were removed.
    /// - Throws: infrastructure errors.
    @discardableResult
    package func run() async throws -> Int {
        let now = context.clock.now()
        _ = try await context.keyRotation.advance(now: now)
        try await context.keyRing.reload(now: now)
        try await PINLockout(context: context).endUnansweredTries(now: now)
        let removed = try await Sweep.run(context.database, now: now)
        try await Audit(context: context).checkpointIfDue(now: now)
        return removed
    }
}
