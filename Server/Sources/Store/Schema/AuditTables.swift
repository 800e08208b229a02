extension FlowTables {
    /// The events of the audit log, in chains.
    static let audit = FlowTables(
        statements: [
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
                link BYTEA
            )
            """,
            "CREATE INDEX security_events_by_account ON security_events (account_id, id)",
            // If two writers extend a chain at the same moment, one of them is refused and starts again.
            "CREATE UNIQUE INDEX security_events_by_chain ON security_events (chain, seq)",
        ],
        restoring: [
            "security_events": .kept(because: "the audit log goes on with a break")
        ])
}
