package import Core
package import Store

/// Reads and writes the steps of wallet operations, in order, as the basis of evidence. It owns the `sca_steps` table.
package enum SCASteps {
    package struct Record: Sendable, Hashable {
        package var kind: String
        /// Facts that are not personal, as JSON.
        package var facts: String
        /// The origin of the request and the destination of a code, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?
        /// The entry in the audit log; nil if there is none.
        package var place: AuditHead.Place?
        package var at: Timestamp

        package init(
            kind: String, facts: String, circumstances: [UInt8]?, place: AuditHead.Place?, at: Timestamp
        ) {
            self.kind = kind
            self.facts = facts
            self.circumstances = circumstances
            self.place = place
            self.at = at
        }

        /// The columns that ``init(_:)`` reads.
        enum Column: Int, RecordColumn {
            case kind, facts, circumstances, chain, seq, link, at
        }

        static let columns = Column.list()

        init(_ row: SQLRow) throws {
            let row = RecordRow<Column>(row)
            var place: AuditHead.Place?
            if let chain = try row.optionalInteger(.chain), let partition = AuditPartition(rawValue: chain),
                let sequence = try row.optionalInteger(.seq), let link = try row.optionalBlob(.link)
            {
                place = AuditHead.Place(partition: partition, sequence: sequence, link: link)
            }
            self.init(
                kind: try row.text(.kind), facts: try row.text(.facts),
                circumstances: try row.optionalBlob(.circumstances), place: place, at: try row.time(.at))
        }
    }

    /// Appends a step.
    package static func add(_ step: Record, to event: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO sca_steps (event_id, number, kind, facts, circumstances, chain, seq, link, at)
            VALUES ($1, (SELECT COALESCE(MAX(s.number), 0) + 1 FROM sca_steps s WHERE s.event_id = $1),
                $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(event), .text(step.kind), .text(step.facts), .optional(step.circumstances),
                .optional(step.place?.partition.rawValue), .optional(step.place?.sequence),
                .optional(step.place?.link), .time(step.at),
            ])
    }

    package static func all(of event: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT \(Record.columns) FROM sca_steps WHERE event_id = $1 ORDER BY number", [.id(event)]
        ).map(Record.init)
    }

    /// An event's last step of a kind; `nil` if there was none.
    package static func last(
        _ kind: String, of event: UniqueID, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            "SELECT \(Record.columns) FROM sca_steps WHERE event_id = $1 AND kind = $2 ORDER BY number DESC LIMIT 1",
            [.id(event), .text(kind)]
        ).map(Record.init)
    }

    /// Deletes the origins of an account's operations, which are personal data. The steps themselves stay.
    package static func eraseCircumstances(of account: UniqueID, on connection: any SQLConnection) throws {
        for table in ["sca_steps", "sca_attempts"] {
            try connection.execute(
                """
                UPDATE \(table) SET circumstances = NULL
                WHERE event_id IN (SELECT w.event_id FROM wallet_operations w WHERE w.account_id = $1)
                """, [.id(account)])
        }
    }
}
