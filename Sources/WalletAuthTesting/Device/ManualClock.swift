public import Foundation
public import WalletAuth

/// Clocks that only a test moves.
///
/// Waiting tasks go on when ``advance(by:)`` has passed their moment, so that a test of "thirty seconds later" takes no
/// time and is never flaky. ``setWallClock(offBy:)`` does what a person does in the settings of a phone: the wall clock
/// jumps, the time since an event does not.
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

        /// Who waited for this many sleepers.
        mutating func takeSatisfiedWatchers() -> [CheckedContinuation<Void, Never>] {
            let satisfied = watchers.filter { $0.count <= sleepers.count }
            watchers.removeAll { $0.count <= sleepers.count }
            return satisfied.map(\.continuation)
        }
    }

    private let start: Date
    private let state = Protected(State())

    /// Makes clocks that stand still.
    /// - Parameter start: what the wall clock says at first.
    public init(start: Date = Date(timeIntervalSince1970: 1_800_000_000)) {
        self.start = start
    }

    /// What the device's wall clock says: the true time, and what it was moved by.
    public func now() -> Date {
        state.withLock { state in start.addingTimeInterval((state.uptime + state.wallOffset).inSeconds) }
    }

    /// What a clock says that nobody moved: the one a server has.
    public func trueNow() -> Date {
        start.addingTimeInterval(uptime().inSeconds)
    }

    /// Time since the clock was made.
    public func uptime() -> Duration {
        state.withLock { $0.uptime }
    }

    /// Waits until the test has moved the clock far enough.
    /// - Parameter duration: zero or less does not wait.
    /// - Throws: `CancellationError` when the task was cancelled.
    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { state in _ = state.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enqueue(Sleep(id: id, duration: duration, continuation: continuation))
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

    /// Moves both clocks forward and wakes whoever waited for a moment up to then, the earliest first.
    /// - Parameter duration: not negative; time does not run backward. For a wall clock that does, see
    ///   ``setWallClock(offBy:)``.
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
    /// - Parameter offset: what it is ahead of the true time by; negative when it is behind, zero sets it right.
    public func setWallClock(offBy offset: Duration) {
        state.withLock { $0.wallOffset = offset }
    }

    /// How many tasks wait for this clock.
    public var sleeperCount: Int {
        state.withLock { $0.sleepers.count }
    }

    /// Waits until at least `count` tasks wait for this clock: then ``advance(by:)`` reaches all of them.
    /// - Parameter count: how many.
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

    private struct Sleep {
        let id: UInt64
        let duration: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private func enqueue(_ sleep: Sleep) {
        let (verdict, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock {
            state in
            if state.cancelled.contains(sleep.id) { return (.failure(CancellationError()), []) }
            if sleep.duration <= .zero { return (.success(()), []) }
            state.sleepers[sleep.id] = Sleeper(
                deadline: state.uptime + sleep.duration, continuation: sleep.continuation)
            return (nil, state.takeSatisfiedWatchers())
        }
        if let verdict { sleep.continuation.resume(with: verdict) }
        for watcher in watchers { watcher.resume() }
    }
}

extension Duration {
    /// The duration in seconds, to the precision of `Date`.
    var inSeconds: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) * 1e-18
    }
}
