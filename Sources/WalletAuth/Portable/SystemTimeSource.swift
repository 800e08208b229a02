public import Foundation

/// The device's clocks: the wall clock, and one that keeps running while the device sleeps.
public struct SystemTimeSource: TimeSource {
    private let start = ContinuousClock.now

    /// Creates a time source; its `uptime()` starts at zero.
    public init() {}

    /// The time of the wall clock.
    public func now() -> Date { Date() }

    /// The time since this value was created, including the device's sleep (`CLOCK_BOOTTIME` on Linux).
    public func uptime() -> Duration { start.duration(to: .now) }

    /// Waits for `duration`.
    /// - Parameter duration: how long; returns at once if zero or less.
    /// - Throws: `CancellationError` when the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
