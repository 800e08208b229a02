package import Core
internal import Kernel
internal import SignIn
package import Store

/// Operations whose consent a push asks for.
package struct ConsentRows: DependentRows {
    package init() {}

    package func waits(
        _ kind: String, _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool? {
        guard kind == ApprovalSubject.Kind.operation.rawValue else { return nil }
        guard let operation = try WalletOperations.find(event: id, on: connection) else { return false }
        if case .pending = operation.event.status(at: now) { return true }
        return false
    }
}
