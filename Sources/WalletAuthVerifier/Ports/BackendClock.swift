internal import Foundation
public import WalletAuthWire

/// The backend's clocks.
public protocol BackendClock: Sendable {
    /// What the wall clock says: tokens and proofs are held against it, so it has to be kept right (NTP).
    func now() -> NumericDate

    /// Time since an arbitrary moment; it never moves backward.
    func uptime() -> Duration

    /// Waits.
    /// - Parameter duration: for how long.
    /// - Throws: `CancellationError` where the task was cancelled.
    func sleep(for duration: Duration) async throws
}

/// The system's clocks.
public struct SystemBackendClock: BackendClock {
    private let start = ContinuousClock.now

    /// Creates the clocks; ``uptime()`` begins at zero.
    public init() {}

    /// What the wall clock says.
    public func now() -> NumericDate { NumericDate(clamping: Int64(Date().timeIntervalSince1970)) }

    /// Time since this value was made.
    public func uptime() -> Duration { start.duration(to: .now) }

    /// Waits.
    /// - Parameter duration: for how long.
    /// - Throws: `CancellationError` where the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
