import Foundation

/// Sleeps until a call may have waited too long. While no call waits, nothing wakes it.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
final class QueueWatch: @unchecked Sendable {
    private let condition = NSCondition()
    private var next: ContinuousClock.Instant?
    private var isClosed = false

    /// Has the watch look at this instant, unless it looks before anyway.
    func look(at deadline: ContinuousClock.Instant) {
        condition.lock()
        defer { condition.unlock() }
        if let next, next <= deadline { return }
        next = deadline
        condition.signal()
    }

    /// Sleeps until it is time for a look, and forgets that time.
    /// - Returns: `false` once it is closed.
    func sleep() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isClosed {
            guard let next else {
                condition.wait()
                continue
            }
            let left = ContinuousClock.now.duration(to: next)
            guard left > .zero else {
                self.next = nil
                return true
            }
            // Rounded up, or the last millisecond would be spent awake.
            _ = condition.wait(until: Date(timeIntervalSinceNow: left.inSeconds + 0.001))
        }
        return false
    }

    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.signal()
    }
}
