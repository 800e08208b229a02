internal import AuthCore
package import AuthFlows
internal import AuthStore

/// Transactions: created by a backend or begun by an app, signed on an enrolled device (docs/protocol.md, section 6).
///
/// It owns the states of a transaction, its payload, its proof and its events in the audit log. It does not own PINs, keys of
/// devices, or sessions: those it asks of `AuthFlows`, which knows nothing of transactions.
package struct TransactionFlows: Sendable {
    let context: ServerContext

    /// - Parameter context: what the flows share.
    package init(context: ServerContext) { self.context = context }

    /// A backend's transactions: created, looked at, cancelled.
    package var ofBackends: BackendTransactions { BackendTransactions(flows: self) }
    /// The transactions on a device: claimed, confirmed, rejected, signed.
    package var onDevices: DeviceTransactions { DeviceTransactions(flows: self) }
    /// Transactions that an app begins itself.
    package var drafts: TransactionDrafts { TransactionDrafts(flows: self) }
    /// What a PIN may be evaluated for.
    package var pinSubject: any PINSubject { TransactionPINs(flows: self) }

    var vault: TransactionVault { TransactionVault(context: context) }
    var changes: CommittedChanges { context.changes }
}

extension TransactionFlows {
    /// The time by which a write decides. The request may have waited for its turn, and its backend may have read meanwhile that
    /// the transaction expired: no signature may follow.
    /// - Parameter arrival: when the request came.
    func writeTime(since arrival: Timestamp) -> Timestamp { max(arrival, context.clock.now()) }

    /// Reads transactions again, behind the writes under way, where one has just expired: a signature that came in time may be among
    /// those writes.
    func settled(
        _ records: [TransactionRecord], at now: Timestamp,
        _ read: @escaping @Sendable (any SQLConnection) throws -> [TransactionRecord]
    ) async throws -> [TransactionRecord] {
        guard records.contains(where: { $0.state.hasJustExpired(at: now) }) else { return records }
        return try await context.database.write(read)
    }

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
