import Core
import Dispatch
import Foundation

/// A queue of calls for an engine's threads: bounded, first come first served, taken in batches. A thread may accept only some calls, and
/// then gets the first of them.
///
/// `@unchecked`: the variables are accessed only while `lock` is held.
package final class CallQueue<Call: Sendable>: @unchecked Sendable {
    /// A thread that waits for a call that it accepts.
    private struct Sleeper {
        let accepts: (Call) -> Bool
        let alarm: DispatchSemaphore
    }

    private let lock = NSLock()
    private let capacity: Int
    /// The places whose calls were taken are `nil`, so that no call is kept with its result. Removing each place would move all others.
    private var places: [Call?] = []
    /// Before this place, all are `nil`.
    private var start = 0
    private var number = 0
    private var sleepers: [Sleeper] = []
    private var isClosed = false

    /// - Parameter capacity: calls that may wait. Beyond it the engine reports that it is busy, so that memory does not
    ///   grow.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Admits a call and wakes a sleeping thread.
    /// - Returns: why it is not admitted; `nil` if it is.
    package func put(_ call: Call) -> StoreError? {
        lock.withLock {
            guard !isClosed else { return StoreError(.closed, "the database was closed") }
            guard number < capacity else {
                return StoreError(.unavailable, "\(capacity) calls are already waiting for the database")
            }
            places.append(call)
            number += 1
            wake(for: call)
            return nil
        }
    }

    /// Takes waiting calls, and sleeps until there is one.
    /// - Parameters:
    ///   - patience: how long to sleep at most; `nil` is without end.
    ///   - accepts: which calls this thread takes.
    /// - Returns: at least one call and at most `limit`; none when that time is over, or once the queue is closed and has none for this thread.
    package func take(
        upTo limit: Int, within patience: Duration? = nil, accepting accepts: @escaping (Call) -> Bool = { _ in true }
    ) -> [Call] {
        let end = patience.map { DispatchTime.now() + .milliseconds(Int(clamping: $0.wholeMilliseconds)) }
        while true {
            let alarm = DispatchSemaphore(value: 0)
            let result = lock.withLock { () -> [Call]? in
                let calls = remove(upTo: limit, accepts)
                guard calls.isEmpty, !isClosed else { return calls }
                sleepers.append(Sleeper(accepts: accepts, alarm: alarm))
                return nil
            }
            if let result { return result }
            if alarm.wait(timeout: end ?? .distantFuture) == .timedOut, forget(alarm) { return [] }
        }
    }

    /// Whether no further calls are admitted.
    package var isEnding: Bool { lock.withLock { isClosed } }

    /// - Returns: whether the thread with this alarm was still asleep. If not, a call may wait for it.
    private func forget(_ alarm: DispatchSemaphore) -> Bool {
        lock.withLock {
            guard let place = sleepers.firstIndex(where: { $0.alarm === alarm }) else { return false }
            sleepers.remove(at: place)
            return true
        }
    }

    /// Takes all waiting calls, without sleeping: none if none wait.
    package func takeAll() -> [Call] {
        take { _ in true }.taken
    }

    package var count: Int { lock.withLock { number } }

    /// Takes the waiting calls that meet a condition, without sleeping.
    /// - Returns: them, and those that go on waiting.
    package func take(where condition: (Call) -> Bool) -> (taken: [Call], left: [Call]) {
        lock.withLock {
            let taken = remove(upTo: .max, condition)
            return (taken, places[start...].compactMap { $0 })
        }
    }

    /// Returns a call that was taken, so that another thread runs it next. It needs no room, even when the queue is
    /// closed.
    package func putBack(_ call: Call) {
        lock.withLock {
            if start > 0 {
                start -= 1
                places[start] = call
            } else {
                places.insert(call, at: 0)
            }
            number += 1
            wake(for: call)
        }
    }

    /// Admits no further calls. Waiting calls are still served.
    package func close() {
        lock.withLock {
            isClosed = true
            for sleeper in sleepers { sleeper.alarm.signal() }
            sleepers = []
        }
    }

    /// Wakes one thread that accepts the call. It looks at all calls again, since another one may be faster.
    private func wake(for call: Call) {
        guard let place = sleepers.firstIndex(where: { $0.accepts(call) }) else { return }
        sleepers.remove(at: place).alarm.signal()
    }

    private func remove(upTo limit: Int, _ accepts: (Call) -> Bool) -> [Call] {
        var calls: [Call] = []
        var place = start
        while place < places.count, calls.count < limit {
            if let call = places[place], accepts(call) {
                calls.append(call)
                places[place] = nil
            }
            place += 1
        }
        number -= calls.count
        while start < places.count, places[start] == nil { start += 1 }
        if start == places.count || start >= 1024 {
            places.removeFirst(start)
            start = 0
        }
        // Calls that no thread takes for long, and empty places behind them.
        if places.count - start > 2 * number + 1024 {
            places = places[start...].filter { $0 != nil }
            start = 0
        }
        return calls
    }
}
