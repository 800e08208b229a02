import Store

/// The streams of those who listen to notices.
final class NoticeStreams: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<ChangeNotice>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    /// The notices that wait in one stream.
    static let limit = 1024

    private let state = LockedValue(State())

    func stream() -> AsyncStream<ChangeNotice> {
        let (stream, listener) = AsyncStream.makeStream(
            of: ChangeNotice.self, bufferingPolicy: .bufferingNewest(Self.limit))
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
        if let number {
            // Released after the lock: the end of a stream's last reference may call this.
            listener.onTermination = { [state] _ in _ = state.withLock { $0.listeners.removeValue(forKey: number) } }
        } else {
            listener.finish()
        }
        return stream
    }

    func yield(_ notices: [ChangeNotice]) {
        guard !notices.isEmpty else { return }
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners {
            for notice in notices {
                // A listener that is too slow loses the oldest, and hears so.
                if case .dropped = listener.yield(notice) { listener.yield(.everything) }
            }
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
