internal import Foundation
public import WalletAuthWire

/// The clocks that a backend uses.
public protocol BackendClock: Sendable {
    /// The wall clock, which tokens and proofs are checked against. Keep it synchronized (NTP).
    func now() -> NumericDate

    /// The time since an arbitrary moment; it never goes backward.
    func uptime() -> Duration

    /// Waits.
    ///
    /// - Parameter duration: how long.
    /// - Throws: `CancellationError` if the task was cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemBackendClock: BackendClock {
    private let start = ContinuousClock.now

    /// Creates the clocks; ``uptime()`` starts at zero.
    public init() {}

    /// The wall clock.
    public func now() -> NumericDate { NumericDate(clamping: Int64(Date().timeIntervalSince1970)) }

    /// The time since this value was created.
    public func uptime() -> Duration { start.duration(to: .now) }

    /// Waits.
    ///
    /// - Parameter duration: how long.
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
