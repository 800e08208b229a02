internal import Core
internal import Kernel
internal import Store

/// How many calls run at a time, and how many a caller makes in a minute. Only in memory: each process of the server counts its own, and a
/// refused call writes nothing.
struct CallLimits: Sendable {
    /// Of all callers. Sign-ins need the database as well.
    static let parallelCalls = 4
    /// Of each caller, or one that waits for a slow provider would keep all others out.
    static let parallelCallsOfCaller = 2
    /// Of each caller, of commands. A person does not reach it; a back office that needs more uses the command line.
    static let callsPerMinute = 120
    /// Of each caller who sees addresses only in part. Guesses would find out the rest.
    static let missesPerHour = 30

    /// Of each caller.
    let callsPerMinute: Int

    init(callsPerMinute: Int = CallLimits.callsPerMinute) { self.callsPerMinute = callsPerMinute }

    private struct State: Sendable {
        var running: [OperatorCaller.Identity: Int] = [:]
        var isScanning = false
        var minute = Timestamp(milliseconds: 0)
        /// Only callers with a role are counted, so there are few.
        var calls: [OperatorCaller.Identity: Int] = [:]
        var hour = Timestamp(milliseconds: 0)
        /// Searches by an address that no account has.
        var misses: [OperatorCaller.Identity: Int] = [:]

        mutating func beginHour(ifOver now: Timestamp) {
            if now < hour || now >= hour + .hours(1) { (hour, misses) = (now, [:]) }
        }
    }

    private let state = LockedValue(State())

    /// Counts a call.
    /// - Returns: the seconds to wait if the caller has made too many; `nil` if it may be made.
    func heldBack(_ caller: OperatorCaller.Identity, now: Timestamp) -> Int64? {
        state.withLock { state in
            // A clock that was set back begins a minute, too.
            if now < state.minute || now >= state.minute + .minutes(1) { (state.minute, state.calls) = (now, [:]) }
            guard state.calls[caller, default: 0] < callsPerMinute else {
                return RetryAfter.seconds(until: state.minute + .minutes(1), now: now)
            }
            state.calls[caller, default: 0] += 1
            return nil
        }
    }

    /// - Returns: the seconds to wait before a search by address if the caller has missed too often; `nil` if it may be made.
    func heldBackSearch(_ caller: OperatorCaller.Identity, now: Timestamp) -> Int64? {
        state.withLock { state in
            state.beginHour(ifOver: now)
            guard state.misses[caller, default: 0] >= Self.missesPerHour else { return nil }
            return RetryAfter.seconds(until: state.hour + .hours(1), now: now)
        }
    }

    func countMiss(_ caller: OperatorCaller.Identity, now: Timestamp) {
        state.withLock { state in
            state.beginHour(ifOver: now)
            state.misses[caller, default: 0] += 1
        }
    }

    /// Runs a call if there is room.
    /// - Parameter isScan: whether it reads so much that only one of its kind runs at a time.
    /// - Returns: `nil` if there is none.
    func run<Value: Sendable>(
        by caller: OperatorCaller.Identity, isScan: Bool, _ body: () async throws -> Value
    ) async rethrows -> Value? {
        let isAdmitted = state.withLock { state in
            let own = state.running[caller, default: 0]
            guard own < Self.parallelCallsOfCaller, state.running.values.reduce(0, +) < Self.parallelCalls,
                !isScan || !state.isScanning
            else { return false }
            state.running[caller] = own + 1
            if isScan { state.isScanning = true }
            return true
        }
        guard isAdmitted else { return nil }
        defer {
            state.withLock { state in
                state.running[caller, default: 1] -= 1
                if state.running[caller] == 0 { state.running[caller] = nil }
                if isScan { state.isScanning = false }
            }
        }
        return try await body()
    }
}
