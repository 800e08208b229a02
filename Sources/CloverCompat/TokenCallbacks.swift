internal import CompatCalls
internal import Foundation
internal import WalletAuth
internal import WalletAuthTransport

/// The app's callbacks, across all the wallets that its configurations lead to.
final class TokenCallbacks: Sendable {
    /// Its closure is of a type that apps of both language modes can pass, so it is not `Sendable`. It is only called on the main
    /// actor.
    private struct Callback: @unchecked Sendable {
        let identifier: String
        let call: () -> Void
    }

    private let registered = LockedValue<[Callback]>([])
    private let order = CallOrder()

    func add(_ callback: @escaping () -> Void) -> String {
        let callback = Callback(identifier: UUID().uuidString, call: callback)
        registered.withLock { $0.append(callback) }
        return callback.identifier
    }

    func remove(_ identifier: String) -> Bool {
        registered.withLock { registered in
            let count = registered.count
            registered.removeAll { $0.identifier == identifier }
            return registered.count < count
        }
    }

    /// Calls the callbacks that are registered now, except those removed until then.
    func tell(_ change: WalletAuth.TokenChange) {
        // The token is still the same.
        if case .expiring = change { return }
        let callbacks = registered.withLock { $0 }
        order.add(
            { callbacks },
            completion: { [registered] callbacks in
                for callback in callbacks {
                    let isRegistered = registered.withLock { $0.contains { $0.identifier == callback.identifier } }
                    if isRegistered { callback.call() }
                }
            })
    }
}
