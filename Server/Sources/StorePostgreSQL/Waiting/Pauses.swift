/// Pauses of the engine's threads, which end when the engine closes.
///
/// `@unchecked`: the variable is accessed only while `condition` is held.
final class Pauses: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var isOver = false

    /// - Returns: whether the engine is still open.
    func wait(_ time: Duration) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = ContinuousClock.now + time
        while !isOver, condition.wait(before: end) {}
        return !isOver
    }

    func close() {
        condition.lock()
        defer { condition.unlock() }
        isOver = true
        condition.broadcast()
    }
}
