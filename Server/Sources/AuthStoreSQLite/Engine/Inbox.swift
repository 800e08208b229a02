import Dispatch
import Synchronization

/// Where calls wait for the engine's threads: bounded, first come first served, taken in batches.
final class Inbox: Sendable {
    /// Whether a call was let in.
    enum Admission {
        case admitted
        case full
        case closed
    }

    private struct State {
        var waiting: [any Call] = []
        var sleepers = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let capacity: Int

    /// - Parameter capacity: calls that may wait; beyond it the engine says it is busy rather than let memory grow.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lets a call in and wakes a thread that sleeps.
    func put(_ call: any Call) -> Admission {
        let (admission, wakes) = state.withLock { state -> (Admission, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.waiting.count < capacity else { return (.full, false) }
            state.waiting.append(call)
            guard state.sleepers > 0 else { return (.admitted, false) }
            state.sleepers -= 1
            return (.admitted, true)
        }
        if wakes { wake.signal() }
        return admission
    }

    /// Takes the calls that wait, sleeping until there is one.
    ///
    /// - Parameter limit: at most so many.
    /// - Returns: at least one call, or none at all once the inbox is closed and empty.
    func take(upTo limit: Int) -> [any Call] {
        while true {
            let batch: [any Call]? = state.withLock { state in
                guard state.waiting.isEmpty else {
                    guard state.waiting.count > limit else {
                        defer { state.waiting = [] }
                        return state.waiting
                    }
                    defer { state.waiting.removeFirst(limit) }
                    return Array(state.waiting.prefix(limit))
                }
                guard !state.isClosed else { return [] }
                state.sleepers += 1
                return nil
            }
            if let batch { return batch }
            wake.wait()
        }
    }

    /// Lets nobody in any more; what waits is still served.
    func close() {
        let sleepers = state.withLock { state in
            state.isClosed = true
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { wake.signal() }
    }
}
