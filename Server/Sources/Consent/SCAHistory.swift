package import Core
package import Store

/// Reads and writes the counts of exemptions, by account, and the consents to show account information, by account and
/// backend. It owns the `sca_history` and `account_information_consents` tables.
package enum SCAHistory {
    /// The counts of an account.
    package struct Record: Sendable, Hashable {
        /// The sum of the low-value payments since the last consent, in euro cents.
        package var lowValueSum: Int64
        package var lowValueCount: Int64
        /// The person's consents so far. Each one resets the other counts.
        package var consents: Int64
        /// Whether payments since the last consent may be missing: from a restore until the next consent.
        package var isIncomplete: Bool

        static let none = Record(lowValueSum: 0, lowValueCount: 0, consents: 0, isIncomplete: false)

        /// The columns that ``find(_:on:)`` reads.
        fileprivate enum Column: Int, RecordColumn {
            case lowValueSum, lowValueCount, consents, incomplete
        }

        fileprivate static let columns = Column.list()
    }

    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> Record {
        let found = try connection.row(
            "SELECT \(Record.columns) FROM sca_history WHERE account_id = $1", [.id(account)])
        guard let found else { return .none }
        let row = RecordRow<Record.Column>(found)
        return Record(
            lowValueSum: try row.integer(.lowValueSum), lowValueCount: try row.integer(.lowValueCount),
            consents: try row.integer(.consents), isIncomplete: try row.integer(.incomplete) == 1)
    }

    /// When the person last agreed that a backend shows account information.
    package static func informationConsent(
        of account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> Timestamp? {
        try connection.row(
            "SELECT consent_at FROM account_information_consents WHERE account_id = $1 AND client_id = $2",
            [.id(account), .text(client)])?.time("consent_at")
    }

    /// Counts a low-value payment, unless another was counted since the decision.
    ///
    /// A payment is counted when it is requested, and again when it is carried out after a consent that reset the
    /// counts.
    /// - Parameters:
    ///   - amount: in euro cents.
    ///   - seen: the counts that the decision was based on.
    /// - Returns: whether it was counted; if not, decide again.
    package static func count(
        _ amount: Int64, of account: UniqueID, seen: Record, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO sca_history (account_id, low_value_sum, low_value_count) VALUES ($1, $2, 1)
            ON CONFLICT (account_id) DO UPDATE SET low_value_sum = sca_history.low_value_sum + $2,
                low_value_count = sca_history.low_value_count + 1
            WHERE sca_history.low_value_sum = $3 AND sca_history.low_value_count = $4 AND sca_history.consents = $5
            """,
            [
                .id(account), .integer(amount), .integer(seen.lowValueSum), .integer(seen.lowValueCount),
                .integer(seen.consents),
            ]) == 1
    }

    /// Removes a low-value payment from the counts because it was not carried out. If a consent has reset the counts
    /// since, it is no longer in them.
    package static func uncount(
        _ amount: Int64, of account: UniqueID, countedIn consents: Int64, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE sca_history SET low_value_sum = low_value_sum - $2, low_value_count = low_value_count - 1
            WHERE account_id = $1 AND low_value_sum >= $2 AND low_value_count >= 1 AND consents = $3
            """, [.id(account), .integer(amount), .integer(consents)])
    }

    /// The kind of a consent, as far as later decisions depend on it.
    package enum Consent: Sendable {
        /// To show account information (RTS article 10); asked for again only after a while.
        case accountInformation
        /// To a payment, or anything else that is asked for each time.
        case operation
    }

    /// Records a consent and resets the counts.
    /// - Parameter client: the backend it was given at.
    package static func recordConsent(
        of account: UniqueID, to consent: Consent, client: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO sca_history (account_id, low_value_sum, low_value_count, consent_at, consents)
            VALUES ($1, 0, 0, $2, 1)
            ON CONFLICT (account_id) DO UPDATE SET low_value_sum = 0, low_value_count = 0, consent_at = $2,
                consents = sca_history.consents + 1, incomplete = 0
            """, [.id(account), .time(now)])
        guard consent == .accountInformation else { return }
        try connection.execute(
            """
            INSERT INTO account_information_consents (account_id, client_id, consent_at) VALUES ($1, $2, $3)
            ON CONFLICT (account_id, client_id) DO UPDATE SET consent_at = $3
            """, [.id(account), .text(client), .time(now)])
    }
}

extension SCAHistory {
    /// Deletes the counts of an erased account, and its trusted payees.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM sca_history WHERE account_id = $1", [.id(account)])
        try connection.execute("DELETE FROM account_information_consents WHERE account_id = $1", [.id(account)])
        try connection.execute("DELETE FROM trusted_payees WHERE account_id = $1", [.id(account)])
    }
}

/// Reads and writes the payees that people trust (RTS article 13), by account and backend. It owns the `trusted_payees`
/// table.
package enum TrustedPayees {
    /// The limit of one account at one backend.
    package static let most: Int64 = 100

    package struct Record: Sendable, Hashable {
        package var id: UniqueID
        package var sealed: [UInt8]
        package var clientID: String
        package var createdAt: Timestamp

        /// The columns that ``init(_:)`` reads.
        enum Column: Int, RecordColumn {
            case id, sealed, clientID, createdAt
        }

        static let columns = Column.list()

        init(_ row: SQLRow) throws {
            let row = RecordRow<Column>(row)
            id = try row.id(.id)
            sealed = try row.blob(.sealed)
            clientID = try row.text(.clientID)
            createdAt = try row.time(.createdAt)
        }
    }

    /// At every backend, oldest first.
    package static func all(of account: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT \(Record.columns) FROM trusted_payees WHERE account_id = $1 ORDER BY created_at, id", [.id(account)]
        ).map(Record.init)
    }

    package static func all(
        of account: UniqueID, client: String, on connection: any SQLConnection
    ) throws -> [Record] {
        try connection.query(
            "SELECT \(Record.columns) FROM trusted_payees WHERE account_id = $1 AND client_id = $2 LIMIT $3",
            [.id(account), .text(client), .integer(most)]
        ).map(Record.init)
    }

    /// Adds a payee unless there are ``most`` already.
    /// - Returns: whether it was added.
    package static func add(
        _ sealed: [UInt8], id: UniqueID, of account: UniqueID, client: String, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO trusted_payees (id, account_id, client_id, sealed, created_at)
            SELECT $1, $2, $3, $4, $5
            WHERE (SELECT COUNT(*) FROM trusted_payees t WHERE t.account_id = $2 AND t.client_id = $3) < $6
            """,
            [.id(id), .id(account), .text(client), .blob(sealed), .time(now), .integer(most)]) == 1
    }

    package static func remove(_ id: UniqueID, of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM trusted_payees WHERE id = $1 AND account_id = $2", [.id(id), .id(account)])
    }
}
