/// The end of an engine's threads, for those who wait for it.
package final class Shutdown: Sendable {
    private struct State {
        var running: Int
        var isComplete = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: LockedValue<State>

    /// - Parameter threads: the number of threads that end.
    package init(of threads: Int = 1) {
        state = LockedValue(State(running: threads))
    }

    /// One thread has ended.
    /// - Returns: whether it was the last. That one cleans up and calls ``complete()``.
    package func threadEnded() -> Bool {
        state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
    }

    package func complete() {
        let waiting = state.withLock { state in
            state.isComplete = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once it is complete.
    package func completed() async {
        await withCheckedContinuation { continuation in
            let isComplete = state.withLock { state in
                if !state.isComplete { state.waiting.append(continuation) }
                return state.isComplete
            }
            if isComplete { continuation.resume() }
        }
    }
}
