import Foundation

/// The queue of reads or of writes for the engine's threads: bounded, first come first served, taken in batches.
///
/// `@unchecked`: the variables are touched only while `condition` is held.
final class CallQueue: @unchecked Sendable {
    /// Whether a call was let in.
    enum Admission {
        case admitted
        case full
        case closed
    }

    private let condition = NSCondition()
    private let capacity: Int
    private var waiting: [any DatabaseCall] = []
    private var sleepers = 0
    private var isClosed = false

    /// - Parameter capacity: calls that may wait; beyond it the engine says it is busy rather than let memory grow.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lets a call in and wakes a thread that sleeps.
    func put(_ call: any DatabaseCall) -> Admission {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return .closed }
        guard waiting.count < capacity else { return .full }
        waiting.append(call)
        if sleepers > 0 { condition.signal() }
        return .admitted
    }

    /// Takes the calls that wait, sleeping until there is one.
    ///
    /// - Parameter limit: at most so many.
    /// - Returns: at least one call, or none at all once the queue is closed and empty.
    func take(upTo limit: Int) -> [any DatabaseCall] {
        condition.lock()
        defer { condition.unlock() }
        while waiting.isEmpty {
            guard !isClosed else { return [] }
            sleepers += 1
            condition.wait()
            sleepers -= 1
        }
        guard waiting.count > limit else {
            defer { waiting = [] }
            return waiting
        }
        defer { waiting.removeFirst(limit) }
        return Array(waiting.prefix(limit))
    }

    /// Lets nobody in any more; what waits is still served.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.broadcast()
    }
}
