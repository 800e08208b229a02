package import Consent
internal import Core
internal import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

/// What waits for the person's approval on one device: transactions and operations alike. It is true without any push message.
package struct PendingApprovals: Sendable {
    let devices: DeviceTransactions
    let phones: PhoneApprovals

    /// Either kind of row. Both have ids that begin with the time of their creation, so one order and one cursor serve for both.
    private enum Waiting {
        case transaction(TransactionRecord)
        case operation(WalletOperationRecord)

        var id: UniqueID {
            switch self {
            case .transaction(let record): record.id
            case .operation(let record): record.id
            }
        }
    }

    /// A page, the oldest first. It reads one page of each kind at most.
    /// - Parameter cursor: the end of the previous page.
    package func page(
        after cursor: TransactionCursor?, call: AppCaller
    ) async throws -> Result<ApprovalPage, ApprovalRefusal> {
        let device: DeviceRecord
        switch phones.device(of: call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let admitted): device = admitted
        }
        return .success(
            try await devices.ledger.database.read { connection in
                let limit = TransactionLimits.pageSize + 1
                let transactions = try Transactions.waiting(
                    for: device, issuer: devices.issuer.rawValue, after: cursor?.id, limit: limit, now: call.now,
                    on: connection)
                let operations = try phones.pending(after: cursor?.id, limit: limit, call: call, on: connection)
                let all = (transactions.map(Waiting.transaction) + operations.map(Waiting.operation))
                    .sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
                let page = all.prefix(TransactionLimits.pageSize)
                let factors =
                    operations.isEmpty
                    ? [] : try device.signingFactors(under: devices.biometricKeys, now: call.now, on: connection)
                return ApprovalPage(
                    approvals: try page.map { waiting in
                        switch waiting {
                        case .transaction(let record): try entry(record, on: device, call: call, connection: connection)
                        case .operation(let record):
                            try phones.entry(
                                record, on: device, factors: factors, call: call, connection: connection)
                        }
                    },
                    cursor: all.count > page.count ? try page.last.map { try TransactionID($0.id.uuid) } : nil)
            })
    }

    /// A transaction: the link to claim it, or what the device sees of the one that it has claimed.
    private func entry(
        _ record: TransactionRecord, on device: DeviceRecord, call: AppCaller, connection: any SQLConnection
    ) throws -> ApprovalEntry {
        let id = try TransactionID(record.id.uuid)
        var link: TransactionLink?
        var claimed: DeviceTransaction?
        if record.state.device == nil {
            guard case .server(_, let secret) = try devices.ledger.vault.open(record) else { throw DamagedRow() }
            link = TransactionLink(issuer: devices.issuer, transactionID: id, secret: secret)
        } else {
            claimed = try devices.view(record, on: device, now: call.now, connection: connection)
        }
        return ApprovalEntry(
            transactionID: id, expiresAt: NumericDate(clamping: record.state.expiresAt.seconds), link: link,
            claimed: claimed)
    }
}

extension Transactions {
    /// The open transactions that a device can still sign: those it has claimed, and those of its account that no device has. One that
    /// the backend addressed to no account has none before it is claimed, so it is for the one who scans its code.
    static func waiting(
        for device: DeviceRecord, issuer: String, after cursor: UniqueID?, limit: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [TransactionRecord] {
        try connection.query(
            """
            SELECT \(TransactionRecord.columns) FROM transactions
            WHERE account_id = $1 AND id > $2 AND id >= $3 AND expires_at > $4 AND issuer = $5
                AND ((state = 'created' AND addressed = 1) OR (state IN ('claimed', 'confirmed') AND device_id = $6))
            ORDER BY id LIMIT $7
            """,
            [
                .id(device.accountID), .blob(cursor?.bytes ?? []),
                .blob(UniqueID.prefix(of: now - TransactionLimits.longestLifetime)), .time(now), .text(issuer),
                .id(device.id), .integer(Int64(limit)),
            ]
        ).map(TransactionRecord.init)
    }
}
