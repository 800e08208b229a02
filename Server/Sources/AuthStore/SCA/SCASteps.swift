package import AuthCore

/// What happened to wallet operations, in order, as it is told in evidence. It owns the `sca_steps` table.
package enum SCASteps {
    /// A step.
    package struct Record: Sendable, Hashable {
        /// What happened.
        package var kind: String
        /// What belongs to it and says nothing of the person, JSON.
        package var facts: String
        /// From where it came and where a code went, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?
        /// Where it stands in the audit log; nil for what is not recorded there.
        package var place: AuditHead.Place?
        /// When.
        package var at: Timestamp

        /// Each parameter is the property of its name.
        package init(
            kind: String, facts: String, circumstances: [UInt8]?, place: AuditHead.Place?, at: Timestamp
        ) {
            self.kind = kind
            self.facts = facts
            self.circumstances = circumstances
            self.place = place
            self.at = at
        }
    }

    /// Adds a step behind those that are there.
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

    /// The steps of an event, in order.
    package static func all(of event: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            """
            SELECT kind, facts, circumstances, chain, seq, link, at FROM sca_steps WHERE event_id = $1 ORDER BY number
            """, [.id(event)]
        ).map { row in
            var place: AuditHead.Place?
            if let chain = try row.optionalInteger(3), let partition = AuditPartition(rawValue: chain),
                let sequence = try row.optionalInteger(4), let link = try row.optionalBlob(5)
            {
                place = AuditHead.Place(partition: partition, sequence: sequence, link: link)
            }
            return Record(
                kind: try row.text(0), facts: try row.text(1), circumstances: try row.optionalBlob(2), place: place,
                at: try row.time(6))
        }
    }

    /// The facts of an event's last step of a kind; `nil` where there was none.
    package static func facts(
        ofLast kind: String, of event: UniqueID, on connection: any SQLConnection
    ) throws -> String? {
        try connection.row(
            "SELECT facts FROM sca_steps WHERE event_id = $1 AND kind = $2 ORDER BY number DESC LIMIT 1",
            [.id(event), .text(kind)]
        ).map { try $0.text(0) }
    }

    /// Removes from where the operations of an account came, which is personal data. What happened stays.
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
