internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Compares a transaction with the audit log before the server signs its evidence. Someone who can write to the database, but has no
/// key, cannot have the server vouch for a rejection, a failure or a cancellation that it did not record.
///
/// The removal of a device, a restore and expiry have no entry. So such a writer can still delete the last steps, and say that one of
/// these ended the transaction.
struct RecordedTransaction: Sendable {
    let audit: Audit
    let record: TransactionRecord
    let now: Timestamp

    /// Someone else wrote to the database. The request is valid; the operator has to learn about it.
    struct NotRecorded: Error, CustomStringConvertible {
        let status: TransactionStatus
        let transaction: UniqueID

        var description: String {
            """
            the audit log does not confirm the state \(status.rawValue) of the transaction \(transaction.uuid), so nothing is \
            signed for it: something other than the server has written to the database; run `walletauth audit verify`
            """
        }
    }

    /// - Throws: ``NotRecorded`` unless the log has every step, in their order, and the last one leads to the state.
    func require(on connection: any SQLConnection) throws {
        let steps = try TransactionSteps.all(of: record.id, on: connection)
        // Without an account in the request, the first entry is in another partition than the others.
        var last: [AuditPartition: Int64] = [:]
        for step in steps {
            guard step.place.sequence > last[step.place.partition, default: 0],
                try isRecorded(step, on: connection)
            else { throw NotRecorded(status: step.status, transaction: record.id) }
            last[step.place.partition] = step.place.sequence
        }
        guard let end = steps.last, leadsToState(end) else {
            throw NotRecorded(status: record.state.phase.status, transaction: record.id)
        }
    }

    private func leadsToState(_ step: TransactionSteps.Record) -> Bool {
        let status = record.state.phase.status
        return switch record.state.phase {
        case .created, .claimed, .confirmed: step.status == status
        case .signed(_, _, let at), .rejected(_, _, let at), .failed(_, let at), .cancelled(_, .backend, let at):
            step.status == status && step.at == at
        case .cancelled: !step.status.isFinal
        }
    }

    private func isRecorded(_ step: TransactionSteps.Record, on connection: any SQLConnection) throws -> Bool {
        guard let event = TransactionEvent(step.status) else { return false }
        // A transaction that its backend addressed to no account has one from the claim on.
        let hadNone = step.status == .created && !record.isAddressed
        let account = hadNone ? nil : record.accountID
        let recorded = Audit.RecordedStep(event, of: account, client: record.clientID, place: step.place, at: step.at)
        guard let found = try audit.entry(of: recorded, now: now, on: connection) else { return false }
        guard let details = found.details else {
            return try account.map { try audit.isErased($0, after: step.place, now: now, on: connection) } ?? false
        }
        return try confirm(details, step.status)
    }

    /// Whether the details of an entry are about this transaction, and have what its row says.
    private func confirm(_ details: JSONObject, _ status: TransactionStatus) throws -> Bool {
        let device = status == .created ? nil : record.state.device?.rawValue
        guard try details.string("transaction_id") == record.id.uuid, try details.string("device") == device
        else { return false }
        guard status == record.state.phase.status else { return true }
        return switch record.state.phase {
        case .signed(_, let factor, _): try details.string("second_factor") == factor.rawValue
        case .rejected(_, let reason, _): try details.string("reason") == reason.rawValue
        case .cancelled(_, let reason, _): try details.string("reason") == reason.rawValue
        case .created, .claimed, .confirmed, .failed: true
        }
    }
}
