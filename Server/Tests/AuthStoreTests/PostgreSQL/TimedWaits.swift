import Foundation
import Testing

@testable import StorePostgreSQL

/// The engine's timed waits. They go by a clock that a test cannot set.
@Suite(.threat("Clocks, disks and crashes")) struct TimedWaits {
    /// Threads that wait for permits.
    ///
    /// `@unchecked`: the variables are accessed only while `condition` is held.
    private final class Waiters: @unchecked Sendable {
        private let condition = MonotonicCondition()
        private var permits = 0
        private var sleeping = 0
        private var results: [Bool] = []

        /// How many sleep now.
        var count: Int { withLock { sleeping } }
        /// Whether each one that has ended got a permit, in the order of their ends.
        var ended: [Bool] { withLock { results } }

        func begin(before deadline: ContinuousClock.Instant) {
            Thread.detachNewThread {
                self.withLock {
                    self.sleeping += 1
                    while self.permits == 0, self.condition.wait(before: deadline) {}
                    self.sleeping -= 1
                    self.results.append(self.permits > 0)
                    self.permits = max(0, self.permits - 1)
                }
            }
        }

        func permit(_ count: Int, wake: (MonotonicCondition) -> Void) {
            withLock {
                permits += count
                wake(condition)
            }
        }

        private func withLock<Value>(_ body: () -> Value) -> Value {
            condition.lock()
            defer { condition.unlock() }
            return body()
        }
    }

    private var farAway: ContinuousClock.Instant { .now + .seconds(100 * 365 * 86_400) }

    @Test("A signal ends one wait whose deadline is far, and a broadcast all of them")
    func woken() async throws {
        let waiters = Waiters()
        for _ in 0..<4 { waiters.begin(before: farAway) }
        try await eventually("all to sleep") { waiters.count == 4 }
        waiters.permit(1) { $0.signal() }
        try await eventually("one to wake") { waiters.ended == [true] }
        #expect(waiters.count == 3)
        waiters.permit(3) { $0.broadcast() }
        try await eventually("all to wake") { waiters.ended == [true, true, true, true] }
    }

    @Test("A wait ends at its deadline, not before, and says so, while one with a later deadline goes on")
    func deadlines() async throws {
        let waiters = Waiters()
        waiters.begin(before: farAway)
        try await eventually("the first to sleep") { waiters.count == 1 }
        let deadline = ContinuousClock.now + .milliseconds(50)
        waiters.begin(before: deadline)
        try await eventually("the second to end") { waiters.ended == [false] }
        #expect(ContinuousClock.now >= deadline)
        #expect(waiters.count == 1)
        waiters.begin(before: deadline)
        try await eventually("one whose deadline has passed to end") { waiters.ended == [false, false] }
        waiters.permit(1) { $0.signal() }
        try await eventually("the first to end") { waiters.ended == [false, false, true] }
    }

    @Test("A pause ends with the engine, and says that it is over")
    func pauses() async throws {
        let pauses = Pauses()
        #expect(pauses.wait(.zero))
        let isOpen: Bool = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: pauses.wait(.seconds(3600))) }
            Thread.detachNewThread { pauses.close() }
        }
        #expect(!isOpen)
        #expect(!pauses.wait(.zero))
    }
}
