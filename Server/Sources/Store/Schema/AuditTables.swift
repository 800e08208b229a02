extension FlowTables {
    /// The events of the audit log, in chains.
    static let audit = FlowTables(
        statements: [
            // `about` is the id of the account that an operator's call is about.
            """
            CREATE TABLE security_events (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA,
                client_id TEXT,
                kind TEXT NOT NULL,
                occurred_at BIGINT NOT NULL,
                details TEXT NOT NULL,
                chain BIGINT,
                seq BIGINT,
                kid BIGINT,
                salt BYTEA,
                details_digest BYTEA,
                link BYTEA,
                about TEXT
            )
            """,
            "CREATE INDEX security_events_by_account ON security_events (account_id, id)",
            "CREATE INDEX security_events_by_subject ON security_events (chain, about, seq) WHERE about IS NOT NULL",
            // If two writers extend a chain at the same moment, one of them is refused and starts again.
            "CREATE UNIQUE INDEX security_events_by_chain ON security_events (chain, seq)",
        ],
        restoring: [
            "security_events": .kept(because: "the audit log goes on with a break")
        ])
}
