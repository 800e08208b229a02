/// Lets writes run side by side, and one that was repeated too often run alone for a moment.
///
/// Of several transactions that change one row, the first to commit wins and all others start again. With many callers,
/// one of them could lose every time. Alone, it loses only to other processes.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
final class WriterGate: @unchecked Sendable {
    private let condition = MonotonicCondition()
    private var running = 0
    private var isHeld = false
    private var waiting = 0

    /// A write that waits for a lock at the server must not stop all others for as long.
    private static let patience = Duration.milliseconds(50)

    /// Gives way to a write that runs alone or wants to, but not for long.
    func enter() {
        condition.lock()
        defer { condition.unlock() }
        if isHeld || waiting > 0 {
            let end = ContinuousClock.now + Self.patience
            while isHeld || waiting > 0, condition.wait(before: end) {}
        }
        running += 1
    }

    func leave() {
        condition.lock()
        defer { condition.unlock() }
        running -= 1
        condition.broadcast()
    }

    /// Waits until no other write is running, but not for long.
    /// - Returns: whether this write began alone. Either way it may run, and ends with ``leaveAlone(_:)``.
    func enterAlone() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        waiting += 1
        let end = ContinuousClock.now + Self.patience
        while isHeld || running > 0, condition.wait(before: end) {}
        waiting -= 1
        guard !isHeld, running == 0 else {
            running += 1
            condition.broadcast()
            return false
        }
        isHeld = true
        return true
    }

    func leaveAlone(_ wasAlone: Bool) {
        condition.lock()
        defer { condition.unlock() }
        if wasAlone { isHeld = false } else { running -= 1 }
        condition.broadcast()
    }
}
