package import Core
package import Store
package import WalletAuthWire

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
