import WalletAuthTransport

/// The observers of the accounts that this device is enrolled for.
final class AccountObservers: Sendable {
    private let observers = LockedValue<[@Sendable ([EnrolledAccount]) -> Void]>([])

    func add(_ observer: @escaping @Sendable ([EnrolledAccount]) -> Void) {
        observers.withLock { $0.append(observer) }
    }

    func tell(_ accounts: [EnrolledAccount]) {
        for observer in observers.withLock({ $0 }) { observer(accounts) }
    }
}
