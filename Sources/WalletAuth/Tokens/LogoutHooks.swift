import Foundation
import WalletAuthTransport

/// The app's sign-out handlers, in the order of registration.
final class LogoutHooks: Sendable {
    private let hooks = LockedValue<[(identifier: String, run: @Sendable () async -> Void)]>([])

    func add(_ hook: @escaping @Sendable () async -> Void) -> String {
        let identifier = UUID().uuidString
        hooks.withLock { $0.append((identifier: identifier, run: hook)) }
        return identifier
    }

    func remove(_ identifier: String) -> Bool {
        hooks.withLock { hooks in
            let before = hooks.count
            hooks.removeAll { $0.identifier == identifier }
            return hooks.count < before
        }
    }

    func run() async {
        for hook in hooks.withLock({ $0 }) { await hook.run() }
    }
}
