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

    /// How a write that was let in runs.
    enum Turn {
        case withOthers
        case alone
    }

    /// Gives way to a write that runs alone or wants to, but not for long.
    func enter() -> Turn {
        condition.lock()
        defer { condition.unlock() }
        if isHeld || waiting > 0 {
            let end = ContinuousClock.now + Self.patience
            while isHeld || waiting > 0, condition.wait(before: end) {}
        }
        running += 1
        return .withOthers
    }

    /// Waits until no other write is running, but not for long.
    /// - Returns: ``Turn/withOthers`` if some are still running. The write runs nevertheless.
    func enterAlone() -> Turn {
        condition.lock()
        defer { condition.unlock() }
        waiting += 1
        let end = ContinuousClock.now + Self.patience
        while isHeld || running > 0, condition.wait(before: end) {}
        waiting -= 1
        guard !isHeld, running == 0 else {
            running += 1
            condition.broadcast()
            return .withOthers
        }
        isHeld = true
        return .alone
    }

    /// - Parameter turn: the one that the write was let in for.
    func leave(_ turn: Turn) {
        condition.lock()
        defer { condition.unlock() }
        switch turn {
        case .withOthers: running -= 1
        case .alone: isHeld = false
        }
        condition.broadcast()
    }
}
