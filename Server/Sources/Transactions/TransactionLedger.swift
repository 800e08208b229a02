internal import Core
internal import Kernel
internal import Store

/// The rows of transactions with their history: what every flow reads and writes, and in which order with others.
struct TransactionLedger: Sendable {
    let database: any Database
    /// Its `writeTime` decides: the backend may have read in the meantime that a transaction expired, which is final.
    let clock: any Clock
    let changes: CommittedChanges
    let vault: TransactionVault
    let auditLog: AuditLog

    /// Reads transactions again after the writes in progress if one has just expired, because one of those writes may contain a
    /// signature that arrived in time.
    func settled(
        _ records: [TransactionRecord], at now: Timestamp,
        _ read: @escaping @Sendable (any SQLConnection) throws -> [TransactionRecord]
    ) async throws -> [TransactionRecord] {
        guard records.contains(where: { $0.state.hasJustExpired(at: now) }) else { return records }
        return try await database.write { connection in
            let records = try read(connection)
            for record in records { try settle(record, at: now, on: connection) }
            return records
        }
    }

    /// Has a write decide on a transaction after a signature that came in time and is in progress.
    func settle(_ record: TransactionRecord, at now: Timestamp, on connection: any SQLConnection) throws {
        try database.settle(record.state, at: now) { try Transactions.touch(record.id, on: connection) }
    }
}
