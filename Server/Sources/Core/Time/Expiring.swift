/// A state that expires without a write.
///
/// No step may follow an expiry that a caller has read. So each step is decided by the time of its write, and a state
/// that has just expired is read again after the writes in progress.
package protocol Expiring {
    var expiresAt: Timestamp { get }

    /// Whether it is over for its time, and not because of a step.
    func hasExpired(at now: Timestamp) -> Bool
}

extension Expiring {
    /// How long after the expiry a step that was decided in time may still wait for its commit.
    private static var settling: Duration { .minutes(1) }

    /// Whether it expired so recently that a step taken in time may not be committed yet.
    package func hasJustExpired(at now: Timestamp) -> Bool {
        hasExpired(at: now) && now >= expiresAt && now < expiresAt + Self.settling
    }
}
