extension FlowTables {
    /// Messages that wait for delivery.
    static let outbox = FlowTables(
        statements: [
            """
            CREATE TABLE outbox (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA,
                kind TEXT NOT NULL,
                sealed BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                attempts BIGINT NOT NULL,
                due_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                delivered_at BIGINT,
                channel TEXT NOT NULL DEFAULT 'email' CHECK (channel IN ('none', 'email', 'sms', 'push')),
                failed_at BIGINT,
                failure TEXT,
                language TEXT
            )
            """,
            "CREATE INDEX outbox_by_expiry ON outbox (expires_at)",
            "CREATE INDEX outbox_by_account ON outbox (account_id)",
            "CREATE INDEX outbox_by_due ON outbox (channel, due_at) WHERE delivered_at IS NULL AND failed_at IS NULL",
        ],
        restoring: [
            "outbox": .kept(because: "a message that waited in the copy comes twice at most")
        ])
}
