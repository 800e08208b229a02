package import Core
internal import Kernel
package import Store
package import WalletAuthWire

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
        if database.mustTouch(record.state, at: now) { try Transactions.touch(record.id, on: connection) }
    }

    /// Records a step: an entry in the audit log and a row of the history, in the write that takes the step.
    /// - Parameter record: the transaction after the step.
    func record(
        _ record: TransactionRecord, origin: RequestOrigin, now: Timestamp, on connection: any SQLConnection
    ) throws {
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
        let entry =
            if let account = record.accountID {
                try auditLog.entry(
                    event, account: account, client: record.clientID, origin: origin, now: now, details: details)
            } else {
                try auditLog.administration(event, client: record.clientID, details: details, now: now)
            }
        let told = entry.telling { record.webhook(event, status, id: $0, at: now) }
        guard let place = try told.write(on: connection) else { throw InvariantViolation() }
        try TransactionSteps.add(
            TransactionSteps.Record(
                status: status,
                circumstances: try vault.seal(origin, of: record.id),
                place: place, at: now),
            to: record.id, on: connection)
        if record.isBackchannel, status.isFinal { try decideBackchannel(record, now: now, on: connection) }
    }
}

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

extension TransactionRecord {
    /// What receivers of webhooks hear of a step. Before the signature, the backend does not learn who has scanned its code.
    func webhook(_ event: TransactionEvent, _ status: TransactionStatus, id: UniqueID, at now: Timestamp)
        -> BackendEvent
    {
        var data = JSONObject()
        data.set("transactionId", self.id.uuid)
        data.set("status", status.rawValue)
        switch state.phase {
        case .signed(_, let factor, _): data.set("secondFactor", factor.rawValue)
        case .rejected(_, let reason, _): data.set("reason", reason.rawValue)
        case .cancelled(_, let reason, _): data.set("reason", reason.rawValue)
        case .created, .claimed, .confirmed, .failed: break
        }
        if namesSigner {
            data.set("sub", accountID?.uuid)
            data.set("deviceId", state.device)
        }
        return BackendEvent(
            id: id, kind: .transactions, type: event.rawValue, clientID: clientID, brandID: brandID,
            subject: self.id, position: Self.position(of: status), occurredAt: now, data: data)
    }

    /// Every step leads further, so that the state alone says which one came first.
    private static func position(of status: TransactionStatus) -> Int64 {
        switch status {
        case .created: 1
        case .claimed: 2
        case .confirmed: 3
        case .signed, .rejected, .failed, .cancelled, .expired: 4
        }
    }
}

/// Reads and writes the history of transactions. It owns the `transaction_steps` table.
package enum TransactionSteps {
    /// A step, written in the same transaction as its entry in the audit log.
    package struct Record: Sendable, Hashable {
        /// The state that it led to.
        package var status: TransactionStatus
        /// The network address and program of the request, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?
        /// The entry in the audit log.
        package var place: AuditHead.Place
        package var at: Timestamp

        package init(status: TransactionStatus, circumstances: [UInt8]?, place: AuditHead.Place, at: Timestamp) {
            self.status = status
            self.circumstances = circumstances
            self.place = place
            self.at = at
        }

        /// The columns that ``init(_:)`` reads.
        enum Column: Int, RecordColumn {
            case status, circumstances, chain, seq, link, at
        }

        static let columns = Column.list()

        init(_ row: SQLRow) throws {
            let row = RecordRow<Column>(row)
            guard let partition = AuditPartition(rawValue: try row.integer(.chain)) else {
                throw StoreError(.unexpectedRow, "column chain is not a partition of the audit log")
            }
            self.init(
                status: try row.name(.status), circumstances: try row.optionalBlob(.circumstances),
                place: AuditHead.Place(
                    partition: partition, sequence: try row.integer(.seq), link: try row.blob(.link)),
                at: try row.time(.at))
        }
    }

    /// Appends a step.
    package static func add(_ step: Record, to transaction: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO transaction_steps (transaction_id, number, status, circumstances, chain, seq, link, at)
            VALUES ($1,
                (SELECT COALESCE(MAX(s.number), 0) + 1 FROM transaction_steps s WHERE s.transaction_id = $1),
                $2, $3, $4, $5, $6, $7)
            """,
            [
                .id(transaction), .name(step.status), .optional(step.circumstances),
                .integer(step.place.partition.rawValue), .integer(step.place.sequence), .blob(step.place.link),
                .time(step.at),
            ])
    }

    package static func all(of transaction: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT \(Record.columns) FROM transaction_steps WHERE transaction_id = $1 ORDER BY number",
            [.id(transaction)]
        ).map(Record.init)
    }

    /// Deletes the network addresses and programs of an erased account. The signatures stay.
    package static func eraseCircumstances(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE transaction_steps SET circumstances = NULL
            WHERE transaction_id IN (SELECT t.id FROM transactions t WHERE t.account_id = $1)
            """, [.id(account)])
    }
}
