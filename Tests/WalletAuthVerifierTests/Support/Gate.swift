import WalletAuthTransport

/// Holds requests up while it is closed, so that a test decides what happens in the meantime.
final class Gate: Sendable {
    private struct State {
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = LockedValue(State())
    /// An element for each request that was held up.
    let (arrivals, arrival) = AsyncStream<Void>.makeStream()

    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        let waiting = state.withLock { state in
            let waiting = state.waiting
            state = State()
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns at once while the gate is open, otherwise once it opens.
    func pass() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOpen = state.withLock { state in
                guard state.isClosed else { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() } else { arrival.yield() }
        }
    }
}
