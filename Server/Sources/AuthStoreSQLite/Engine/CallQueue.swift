import Foundation

/// A queue of reads or writes for the engine's threads: bounded, first come first served, taken in batches.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
final class CallQueue: @unchecked Sendable {
    /// The result of offering a call.
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

    /// - Parameter capacity: calls that may wait. Beyond it the engine reports that it is busy, so that memory does not
    ///   grow.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Admits a call and wakes a sleeping thread.
    func put(_ call: any DatabaseCall) -> Admission {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return .closed }
        guard waiting.count < capacity else { return .full }
        waiting.append(call)
        if sleepers > 0 { condition.signal() }
        return .admitted
    }

    /// Takes waiting calls, and sleeps until there is one.
    /// - Returns: at least one call and at most `limit`; none once the queue is closed and empty.
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

    /// Admits no further calls. Waiting calls are still served.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.broadcast()
    }
}
