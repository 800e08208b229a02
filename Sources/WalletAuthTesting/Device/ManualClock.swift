public import Foundation
public import WalletAuth
import WalletAuthTransport

/// Clocks that only a test advances.
///
/// Waiting tasks resume when ``advance(by:)`` passes their time, so that a test of "thirty seconds later" takes no time
/// and is never flaky. ``setWallClock(offBy:)`` simulates a change of the clock in the phone's settings: the wall clock
/// jumps, the elapsed time does not.
public final class ManualClock: TimeSource {
    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var uptime: Duration = .zero
        var wallOffset: Duration = .zero
        var sleepers: [UInt64: Sleeper] = [:]
        var cancelled: Set<UInt64> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var lastID: UInt64 = 0

        /// Removes and returns the watchers that waited for this number of sleepers.
        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied.map(\.continuation)
        }
    }

    private let start: Date
    private let state = LockedValue(State())

    /// Creates stopped clocks.
    ///
    /// - Parameter start: the initial time of the wall clock.
    public init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        self.start = start
    }

    /// The time of the device's wall clock: the true time plus its offset.
    public func now() -> Date {
        state.withLock { state in start.addingTimeInterval((state.uptime + state.wallOffset).inSeconds) }
    }

    /// The true time, without the offset. This is the server's time.
    public func trueNow() -> Date {
        start.addingTimeInterval(uptime().inSeconds)
    }

    /// The time since the clock was created.
    public func uptime() -> Duration {
        state.withLock { $0.uptime }
    }

    /// Waits until the test has advanced the clock by this duration.
    ///
    /// - Parameter duration: how long; zero or less does not wait.
    /// - Throws: `CancellationError` if the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { state in _ = state.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (verdict, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock
                {
                    state in
                    if state.cancelled.contains(id) { return (.failure(CancellationError()), []) }
                    if duration <= .zero { return (.success(()), []) }
                    state.sleepers[id] = Sleeper(deadline: state.uptime + duration, continuation: continuation)
                    return (nil, state.takeSatisfiedWatchers())
                }
                if let verdict { continuation.resume(with: verdict) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                if let sleeper = state.sleepers.removeValue(forKey: id) { return sleeper }
                state.cancelled.insert(id)
                return nil
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances both clocks and resumes the tasks whose time has come, the earliest first.
    ///
    /// - Parameter duration: the duration, not negative; elapsed time never goes backward. To set a wall clock back,
    ///   see ``setWallClock(offBy:)``.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.uptime += max(duration, .zero)
            let due = state.sleepers.filter { $0.value.deadline <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets the device's wall clock wrong.
    ///
    /// - Parameter offset: how far the wall clock is ahead of the true time; negative if it is behind, zero sets it
    ///   right.
    public func setWallClock(offBy offset: Duration) {
        state.withLock { $0.wallOffset = offset }
    }

    /// The number of tasks that wait for this clock.
    public var sleeperCount: Int {
        state.withLock { $0.sleepers.count }
    }

    /// Waits until at least `count` tasks wait for this clock, so that ``advance(by:)`` reaches all of them.
    ///
    /// - Parameter count: the number of tasks.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isSatisfied = state.withLock { state -> Bool in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isSatisfied { continuation.resume() }
        }
    }
}

extension Duration {
    /// The duration in seconds, with the precision of `Date`.
    var inSeconds: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}
