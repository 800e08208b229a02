import Foundation

/// A queue of calls for an engine's threads: bounded, first come first served, taken in batches.
///
/// `@unchecked`: the variables are accessed only while `condition` is held.
package final class CallQueue<Call: Sendable>: @unchecked Sendable {
    /// The result of offering a call.
    package enum Admission {
        case admitted
        case full
        case closed
    }

    private let condition = NSCondition()
    private let capacity: Int
    private var waiting: [Call?] = []
    /// The places at the beginning of `waiting` whose calls were taken already. They are `nil`, so that no call is kept with its
    /// result. Removing each place would move all others.
    private var taken = 0
    private var sleepers = 0
    private var isClosed = false

    /// - Parameter capacity: calls that may wait. Beyond it the engine reports that it is busy, so that memory does not
    ///   grow.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Admits a call and wakes a sleeping thread.
    package func put(_ call: Call) -> Admission {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return .closed }
        guard waiting.count - taken < capacity else { return .full }
        waiting.append(call)
        if sleepers > 0 { condition.signal() }
        return .admitted
    }

    /// Takes waiting calls, and sleeps until there is one.
    /// - Returns: at least one call and at most `limit`; none once the queue is closed and empty.
    package func take(upTo limit: Int) -> [Call] {
        condition.lock()
        defer { condition.unlock() }
        while waiting.count == taken {
            guard !isClosed else { return [] }
            sleepers += 1
            condition.wait()
            sleepers -= 1
        }
        let end = min(waiting.count, taken + limit)
        let calls = waiting[taken..<end].compactMap { $0 }
        for place in taken..<end { waiting[place] = nil }
        taken = end
        if taken == waiting.count || taken >= 1024 {
            waiting.removeFirst(taken)
            taken = 0
        }
        return calls
    }

    /// Takes all waiting calls, without sleeping: none if none wait.
    package func takeAll() -> [Call] {
        condition.lock()
        defer { condition.unlock() }
        defer { (waiting, taken) = ([], 0) }
        return waiting[taken...].compactMap { $0 }
    }

    package var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return waiting.count - taken
    }

    /// Takes the waiting calls that meet a condition, without sleeping.
    /// - Returns: them, and those that go on waiting.
    package func take(where condition: (Call) -> Bool) -> (taken: [Call], left: [Call]) {
        self.condition.lock()
        defer { self.condition.unlock() }
        var result: (taken: [Call], left: [Call]) = ([], [])
        for call in waiting[taken...].compactMap({ $0 }) {
            if condition(call) { result.taken.append(call) } else { result.left.append(call) }
        }
        waiting = result.left
        taken = 0
        return result
    }

    /// Returns a call that was taken, so that another thread runs it next. It needs no room, even when the queue is
    /// closed.
    package func putBack(_ call: Call) {
        condition.lock()
        defer { condition.unlock() }
        if taken > 0 {
            taken -= 1
            waiting[taken] = call
        } else {
            waiting.insert(call, at: 0)
        }
        if sleepers > 0 { condition.signal() }
    }

    /// Admits no further calls. Waiting calls are still served.
    package func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.broadcast()
    }
}
