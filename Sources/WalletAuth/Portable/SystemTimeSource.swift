public import Foundation

/// The device's own clocks: the wall clock, and one that goes on while the device sleeps.
public struct SystemTimeSource: TimeSource {
    private let start = ContinuousClock.now

    /// Makes a time source; its `uptime()` begins at zero.
    public init() {}

    /// What the wall clock says.
    public func now() -> Date { Date() }

    /// Time since this value was made, the device's sleep included (`CLOCK_BOOTTIME` on Linux).
    public func uptime() -> Duration { start.duration(to: .now) }

    /// Waits for `duration`.
    /// - Throws: `CancellationError` when the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
