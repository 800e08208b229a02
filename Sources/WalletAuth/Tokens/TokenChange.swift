public import Foundation
import WalletAuthTransport

/// A change of the tokens.
public enum TokenChange: Sendable, Equatable {
    /// A person signed in.
    case new
    /// The tokens were renewed for the same person.
    case refreshed
    /// ``Wallet/logout()`` removed them.
    case deleted
    /// The tokens can no longer be used.
    case invalidated(WalletError.SignOutReason)
    /// The app's own token expires soon: obtain another and pass it to ``Wallet/updateToken(_:expiresAt:)``. Only with
    /// `signIn: .external`, and after ``Wallet/authenticate(accessToken:expiresAt:)``.
    case expiring(at: Date)
}

/// Delivers each change of the tokens to all observers, in order.
///
/// A change is queued under the record's lock and delivered outside every lock: a callback may add and remove callbacks
/// and call the wallet.
final class TokenChangeBroadcast: Sendable {
    private struct Listeners {
        var callbacks: [(identifier: String, call: @Sendable (TokenChange) -> Void)] = []
        var streams: [UUID: AsyncStream<TokenChange>.Continuation] = [:]
        var queue: [TokenChange] = []
        var isDelivering = false
    }

    private let listeners = LockedValue(Listeners())

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

    /// Queues a change; ``deliver()`` sends it.
    func queue(_ change: TokenChange?) {
        guard let change else { return }
        listeners.withLock { $0.queue.append(change) }
    }

    /// Delivers the queued changes. If another call is delivering, that one continues until the queue is empty.
    func deliver() {
        while let (change, callbacks, streams) = next() {
            for stream in streams { stream.yield(change) }
            for callback in callbacks { callback(change) }
            listeners.withLock { $0.isDelivering = false }
        }
    }

    private func next() -> (
        TokenChange, [@Sendable (TokenChange) -> Void], [AsyncStream<TokenChange>.Continuation]
    )? {
        listeners.withLock { listeners in
            guard !listeners.isDelivering, !listeners.queue.isEmpty else { return nil }
            listeners.isDelivering = true
            return (listeners.queue.removeFirst(), listeners.callbacks.map(\.call), Array(listeners.streams.values))
        }
    }

    deinit {
        for stream in listeners.withLock({ Array($0.streams.values) }) { stream.finish() }
    }
}
