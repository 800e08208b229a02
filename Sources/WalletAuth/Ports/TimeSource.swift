public import Foundation

/// The device's clocks.
public protocol TimeSource: Sendable {
    /// What the device's wall clock says. People move it, so nothing in the SDK trusts it where the time since an event
    /// will do; what it is off by is measured from the server's `Date`.
    func now() -> Date

    /// Time since an arbitrary moment. Never moves backward, goes on while the device sleeps, and means nothing to
    /// another process.
    func uptime() -> Duration

    /// Waits until `uptime()` has grown by `duration`.
    /// - Parameter duration: zero or less does not wait.
    /// - Throws: `CancellationError` when the task was cancelled.
    func sleep(for duration: Duration) async throws
}
