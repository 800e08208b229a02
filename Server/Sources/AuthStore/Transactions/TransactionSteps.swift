package import AuthCore
package import WalletAuthWire

/// The history of transactions. It owns the `transaction_steps` table.
package enum TransactionSteps {
    /// A step, written with its entry of the audit log.
    package struct Record: Sendable, Hashable {
        /// The state that it led to.
        package var status: TransactionStatus
        /// The network address and program that it came from, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?
        /// The entry of the audit log.
        package var place: AuditHead.Place
        /// When.
        package var at: Timestamp

        /// Each parameter is the property of its name.
        package init(status: TransactionStatus, circumstances: [UInt8]?, place: AuditHead.Place, at: Timestamp) {
            self.status = status
            self.circumstances = circumstances
            self.place = place
            self.at = at
        }
    }

    /// Adds a step behind the others.
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

    /// The steps of a transaction, in order.
    package static func all(of transaction: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT * FROM transaction_steps WHERE transaction_id = $1 ORDER BY number", [.id(transaction)]
        ).map { row in
            guard let partition = AuditPartition(rawValue: try row.integer("chain")) else {
                throw StoreError(.unexpectedRow, "column chain is no partition of the audit log")
            }
            return Record(
                status: try row.name("status"), circumstances: try row.optionalBlob("circumstances"),
                place: AuditHead.Place(
                    partition: partition, sequence: try row.integer("seq"), link: try row.blob("link")),
                at: try row.time("at"))
        }
    }

    /// Removes the network addresses and programs of an erased account. The signatures stay.
    package static func eraseCircumstances(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE transaction_steps SET circumstances = NULL
            WHERE transaction_id IN (SELECT t.id FROM transactions t WHERE t.account_id = $1)
            """, [.id(account)])
    }
}
