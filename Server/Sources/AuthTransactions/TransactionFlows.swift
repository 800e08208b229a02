public import AuthFlows
internal import AuthStore

/// Transactions: created by a backend or begun by an app, signed on an enrolled device (docs/protocol.md, section 6).
///
/// It owns the states of a transaction, its payload, its proof and its events in the audit log. It does not own PINs, keys of
/// devices, or sessions: those it asks of `AuthFlows`, which knows nothing of transactions.
public struct TransactionFlows: Sendable {
    let context: ServerContext
    let changes = TransactionChanges()

    /// - Parameter context: what the flows share.
    public init(context: ServerContext) { self.context = context }

    /// A backend's transactions: created, looked at, cancelled.
    public var ofBackends: BackendTransactions { BackendTransactions(flows: self) }
    /// The transactions on a device: claimed, confirmed, rejected, signed.
    public var onDevices: DeviceTransactions { DeviceTransactions(flows: self) }
    /// Transactions that an app begins itself.
    public var drafts: TransactionDrafts { TransactionDrafts(flows: self) }
    /// What a PIN may be evaluated for.
    package var pinSubject: any PINSubject { TransactionPINs(flows: self) }

    var vault: TransactionVault { TransactionVault(context: context) }
}

extension TransactionFlows {
    /// Another write changed the row between the decision and its write: decide again.
    struct Conflict: Error {}

    /// Runs a write that decides by a row and then changes it, again where another write changed the row first.
    func repeating<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        for _ in 0..<16 {
            do { return try await context.database.write(body) } catch is Conflict { continue }
        }
        throw StoreError(.unavailable, "a transaction was changed by others again and again")
    }
}
