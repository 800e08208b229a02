import Foundation
import WalletAuthTransport

/// The app's sign-out handlers, in the order of registration.
final class LogoutHooks: Sendable {
    /// The runs, of any wallet's hooks, that the current task is part of or was started in.
    @TaskLocal private static var runs: Set<UUID> = []

    private let underWay = LockedValue<Set<UUID>>([])
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

    /// Runs the hooks. A hook that signs out itself does not run them again: otherwise neither sign-out would end.
    func run() async {
        let isNested = underWay.withLock { !$0.isDisjoint(with: Self.runs) }
        guard !isNested else { return }
        let run = UUID()
        underWay.withLock { _ = $0.insert(run) }
        defer { underWay.withLock { _ = $0.remove(run) } }
        await Self.$runs.withValue(Self.runs.union([run])) {
            for hook in hooks.withLock({ $0 }) { await hook.run() }
        }
    }
}
