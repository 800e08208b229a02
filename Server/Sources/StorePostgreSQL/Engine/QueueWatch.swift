/// Sleeps until a call may have waited too long. While no call waits, nothing wakes it.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
final class QueueWatch: @unchecked Sendable {
    private let condition = MonotonicCondition()
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
            guard condition.wait(before: next) else {
                self.next = nil
                return true
            }
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
