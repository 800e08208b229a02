package import Core
internal import Kernel
internal import SignIn
package import Store
internal import WalletAuthWire

/// Operations whose consent a push asks for.
package struct ConsentRows: DependentRows {
    package init() {}

    package func waits(
        _ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool? {
        guard kind == ApprovalSubject.Kind.operation.rawValue else { return nil }
        guard let operation = try WalletOperations.find(event: id, on: connection) else { return false }
        guard case .pending = operation.event.status(at: now), case .challenged(let challenge) = operation.event.state
        else { return false }
        // Once another way is challenged, the device lists it no longer.
        return challenge.verification == .push
    }
}
