package import Core
package import Store
package import WalletAuthWire

/// Reads and writes transactions. It owns the `transactions` table.
///
/// A row's `revision` guards it: a write based on an older revision changes nothing, and its caller has to decide
/// again.
package enum Transactions {
    package enum Addition: Sendable, Hashable {
        case added
        /// Its id, or its client's key, is in use.
        case taken
    }

    package static func add(_ record: TransactionRecord, on connection: any SQLConnection) throws -> Addition {
        let values = record.values(of: insertion.columns)
        return try connection.execute(insertion.sql, values) == 1 ? .added : .taken
    }

    private static let insertion = RecordWrite<TransactionRecord.Column>.insertion(into: "transactions")

    /// Stores the state after a transition.
    /// - Parameters:
    ///   - record: with the changes of the transition.
    ///   - former: as it was read.
    /// - Returns: whether the row was still at the revision read; `false` changes nothing.
    package static func save(
        _ record: TransactionRecord, over former: TransactionRecord, on connection: any SQLConnection
    ) throws -> Bool {
        // SQLite writes each index of a column that an UPDATE names, even if the value stays the same. So a statement
        // names the indexed columns only if they change: most steps change none.
        let keepsSigner = record.accountID == former.accountID && record.state.device == former.state.device
        let keepsEnd = record.keptUntil == former.keptUntil
        let update =
            switch (keepsSigner, keepsEnd) {
            case (true, true): step
            case (false, true): claim
            case (true, false): signature
            case (false, false): claimAndSignature
            }
        let guarding: [SQLValue] = [.id(record.id), .integer(former.revision)]
        return try connection.execute(update.sql, record.values(of: update.columns) + guarding) == 1
    }

    private static let step = update()
    private static let claim = update(.accountID, .deviceID)
    private static let signature = update(.keptUntil)
    private static let claimAndSignature = update(.accountID, .deviceID, .keptUntil)

    private static func update(_ more: TransactionRecord.Column...) -> RecordWrite<TransactionRecord.Column> {
        .update(of: "transactions", writtenByEachStep + more, key: .id, revision: .revision)
    }

    private static let writtenByEachStep: [TransactionRecord.Column] = [
        .state, .reason, .factor, .payload, .payloadHash, .assertion, .endedAt,
    ]

    /// One point read.
    package static func find(_ id: UniqueID, on connection: any SQLConnection) throws -> TransactionRecord? {
        try connection.row(byID, [.id(id)]).map(TransactionRecord.init)
    }

    private static let byID = "SELECT \(TransactionRecord.columns) FROM transactions WHERE id = $1"

    /// Rewrites a row unchanged. With several writers, the write then waits for the one that is changing the row, and a later
    /// one decides again.
    package static func touch(_ id: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE transactions SET revision = revision WHERE id = $1", [.id(id)])
    }

    /// Finds the transaction that a client created with an `Idempotency-Key`. `key` is its digest.
    package static func find(
        key: String, of client: String, on connection: any SQLConnection
    ) throws -> TransactionRecord? {
        try connection.row(byKey, [.text(client), .text(key)]).map(TransactionRecord.init)
    }

    private static let byKey =
        "SELECT \(TransactionRecord.columns) FROM transactions WHERE client_id = $1 AND create_key = $2"

    /// The scope of a list.
    package enum Owner: Sendable, Hashable {
        /// Transactions that a backend created.
        case client(String)
        /// Transactions that apps began for accounts of a brand.
        case appsOfBrand(String)
        case account(UniqueID)
        /// Transactions that a device claimed or began.
        case device(UniqueID)

        fileprivate var condition: (sql: String, value: SQLValue) {
            switch self {
            case .client(let id): ("client_id = $1 AND origin = 'server'", .text(id))
            case .appsOfBrand(let id): ("brand_id = $1 AND origin = 'client'", .text(id))
            case .account(let id): ("account_id = $1", .id(id))
            case .device(let id): ("device_id = $1", .id(id))
            }
        }
    }

    package struct Filter: Sendable, Hashable {
        /// The account, if the backend may know that it is its transaction.
        package var account: UniqueID?
        /// Empty for all.
        package var statuses: Set<TransactionStatus> = []
        /// The earliest time of creation.
        package var since: Timestamp?
    }

    /// A page of transactions, oldest first.
    /// - Parameters:
    ///   - cursor: the last transaction of the previous page; `nil` for the first page.
    ///   - now: separates open transactions from expired ones.
    package static func list(
        of owner: Owner, _ filter: Filter = Filter(), after cursor: UniqueID?, limit: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [TransactionRecord] {
        let (condition, value) = owner.condition
        // Ids begin with the time of creation, so both bounds are bounds of the id.
        let isOpen = !filter.statuses.isEmpty && filter.statuses.allSatisfy { !$0.isFinal }
        let open = isOpen ? earliestOpen(at: now) : []
        let since = filter.since.map { UniqueID.prefix(of: $0) } ?? []
        let earliest = since.lexicographicallyPrecedes(open) ? open : since
        var conditions = [condition, "id > $2", "id >= $3"]
        var values: [SQLValue] = [value, .blob(cursor?.bytes ?? []), .blob(earliest), .integer(Int64(limit))]
        // A statement must not have a value that no condition names.
        if filter.statuses.contains(where: { !$0.isFinal || $0 == .expired }) { values.append(.time(now)) }
        if !filter.statuses.isEmpty {
            let states = filter.statuses.sorted { $0.rawValue < $1.rawValue }.map(Self.condition)
            conditions.append("(" + states.joined(separator: " OR ") + ")")
        }
        if let account = filter.account {
            values.append(.id(account))
            conditions.append("account_id = $\(values.count) AND \(TransactionRecord.namesSigner)")
        }
        return try connection.query(
            """
            SELECT \(TransactionRecord.columns) FROM transactions WHERE \(conditions.joined(separator: " AND "))
            ORDER BY id LIMIT $4
            """, values
        ).map(TransactionRecord.init)
    }

    /// The condition for a status at the time `$5`.
    private static func condition(of status: TransactionStatus) -> String {
        switch status {
        case .created, .claimed, .confirmed: "(state = '\(TransactionRecord.name(of: status))' AND expires_at > $5)"
        case .expired: "(state IN ('created', 'claimed', 'confirmed') AND expires_at <= $5)"
        case .signed, .rejected, .failed, .cancelled: "state = '\(TransactionRecord.name(of: status))'"
        }
    }

    /// A lower bound for the ids of open transactions, so that older history is not read.
    private static func earliestOpen(at now: Timestamp) -> [UInt8] {
        UniqueID.prefix(of: now - TransactionLimits.longestLifetime)
    }

    /// Counts a backend's open transactions for an account that it named.
    /// - Returns: their number, and when the first of them expires; `nil` if there is none.
    package static func open(
        of account: UniqueID, client: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> (count: Int64, firstEnd: Timestamp?) {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(expires_at) AS first_end FROM transactions
            WHERE account_id = $1 AND addressed = 1 AND client_id = $2 AND origin = 'server'
                AND state IN ('created', 'claimed', 'confirmed') AND expires_at > $3 AND id >= $4
            """, [.id(account), .text(client), .time(now), .blob(earliestOpen(at: now))])
        return (try row?.integer("number") ?? 0, try row?.optionalTime("first_end"))
    }

    /// An account's transactions that could still be signed, oldest first.
    static func open(
        of account: UniqueID, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [TransactionRecord] {
        try connection.query(
            """
            SELECT \(TransactionRecord.columns) FROM transactions
            WHERE account_id = $1 AND state IN ('created', 'claimed', 'confirmed') AND expires_at > $2 AND id >= $3
            ORDER BY id LIMIT $4
            """, [.id(account), .time(now), .blob(earliestOpen(at: now)), .integer(Int64(limit))]
        ).map(TransactionRecord.init)
    }

    /// An account's transactions for which clients wait that named it.
    static func backchannel(of account: UniqueID, on connection: any SQLConnection) throws -> [UniqueID] {
        try connection.query(
            "SELECT id FROM transactions WHERE account_id = $1 AND create_key LIKE $2",
            [.id(account), .text(TransactionRecord.backchannelKey + "%")]
        ).map { try $0.id("id") }
    }

    /// Counts the transactions that a device began by itself and signed since a time. They are stored as they are
    /// signed; their ids are as old as their drafts.
    /// - Returns: their number, and when the first of them was signed; `nil` if there is none.
    package static func begun(
        on device: UniqueID, since: Timestamp, connection: any SQLConnection
    ) throws -> (count: Int64, first: Timestamp?) {
        let row = try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(created_at) AS first FROM transactions
            WHERE device_id = $1 AND created_at >= $2 AND id >= $3 AND origin = 'client'
            """, [.id(device), .time(since), .blob(earliestOpen(at: since))])
        return (try row?.integer("number") ?? 0, try row?.optionalTime("first"))
    }

    /// Deletes the unsigned transactions of an erased account, with their steps, because they prove nothing.
    package static func eraseUnsigned(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            DELETE FROM transaction_steps WHERE transaction_id IN
                (SELECT t.id FROM transactions t WHERE t.account_id = $1 AND t.state <> 'signed')
            """, [.id(account)])
        try connection.execute(
            "DELETE FROM transactions WHERE account_id = $1 AND state <> 'signed'", [.id(account)])
    }

    /// Cancels the open transactions of a removed device.
    /// - Returns: the transactions, cancelled.
    @discardableResult
    package static func cancelAll(
        onRemovedDevice device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> [TransactionRecord] {
        try connection.query(
            """
            UPDATE transactions SET state = 'cancelled', reason = 'DEVICE_REMOVED', ended_at = $2,
                revision = revision + 1
            WHERE device_id = $1 AND state IN ('claimed', 'confirmed') AND expires_at > $2
            RETURNING \(TransactionRecord.columns)
            """, [.id(device), .time(now)]
        ).map(TransactionRecord.init)
    }
}
