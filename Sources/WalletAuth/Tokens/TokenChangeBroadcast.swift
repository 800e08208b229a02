import Foundation

/// Tells everybody who asked about each change of the tokens, in order.
///
/// Callbacks are called outside every lock, so a callback may add or remove callbacks and call the wallet.
final class TokenChangeBroadcast: Sendable {
    private struct Listeners {
        var callbacks: [(identifier: String, call: @Sendable (TokenChange) -> Void)] = []
        var streams: [UUID: AsyncStream<TokenChange>.Continuation] = [:]
    }

    private let listeners = Protected(Listeners())

    func add(_ callback: @escaping @Sendable (TokenChange) -> Void) -> String {
        let identifier = UUID().uuidString
        listeners.withLock { $0.callbacks.append((identifier: identifier, call: callback)) }
        return identifier
    }

    func remove(_ identifier: String) -> Bool {
        listeners.withLock { listeners in
            let before = listeners.callbacks.count
            listeners.callbacks.removeAll { $0.identifier == identifier }
            return listeners.callbacks.count < before
        }
    }

    func stream() -> AsyncStream<TokenChange> {
        let id = UUID()
        let (stream, continuation) = AsyncStream.makeStream(
            of: TokenChange.self, bufferingPolicy: .bufferingNewest(64))
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { $0.streams[id] = nil }
        }
        listeners.withLock { $0.streams[id] = continuation }
        return stream
    }

    func tell(_ change: TokenChange) {
        let (callbacks, streams) = listeners.withLock { ($0.callbacks.map(\.call), Array($0.streams.values)) }
        for stream in streams { stream.yield(change) }
        for callback in callbacks { callback(change) }
    }

    deinit {
        for stream in listeners.withLock({ Array($0.streams.values) }) { stream.finish() }
    }
}
