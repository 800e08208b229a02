internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The events of transactions in the audit log.
enum TransactionEvent: String, SecurityEventKind, CaseIterable {
    case created = "transaction.created"
    case claimed = "transaction.claimed"
    case confirmed = "transaction.confirmed"
    case signed = "transaction.signed"
    case rejected = "transaction.rejected"
    case failed = "transaction.failed"
    case cancelled = "transaction.cancelled"

    /// The event that leads to a state; `nil` for expiry, which is no event.
    init?(_ status: TransactionStatus) {
        switch status {
        case .created: self = .created
        case .claimed: self = .claimed
        case .confirmed: self = .confirmed
        case .signed: self = .signed
        case .rejected: self = .rejected
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        case .expired: return nil
        }
    }
}

/// A step of a transaction: an entry in the audit log and a row of its history, in the write that takes the step.
struct TransactionStep: Sendable {
    let ledger: TransactionLedger
    /// The transaction after the step.
    let record: TransactionRecord
    let origin: RequestOrigin
    let now: Timestamp

    func write(on connection: any SQLConnection) throws {
        let status = record.state.status(at: now)
        guard let event = TransactionEvent(status) else { throw InvariantViolation() }
        var details = JSONObject()
        details.set("transaction_id", record.id.uuid)
        details.set("device", record.state.device)
        switch record.state.phase {
        case .signed(_, let factor, _): details.set("second_factor", factor.rawValue)
        case .rejected(_, let reason, _): details.set("reason", reason.rawValue)
        case .cancelled(_, let reason, _): details.set("reason", reason.rawValue)
        case .created, .claimed, .confirmed, .failed: break
        }
        let auditLog = ledger.auditLog
        let entry =
            if let account = record.accountID {
                try auditLog.entry(
                    event, account: account, client: record.clientID, origin: origin, now: now, details: details)
            } else {
                try auditLog.administration(event, client: record.clientID, details: details, now: now)
            }
        guard let place = try entry.write(on: connection) else { throw InvariantViolation() }
        try TransactionSteps.add(
            TransactionSteps.Record(
                status: status,
                circumstances: try ledger.vault.seal(origin, of: record.id),
                place: place, at: now),
            to: record.id, on: connection)
    }
}
