extension Migration {
    /// The columns for the delivery of messages.
    package static let outbound = Migration(
        version: 8, name: "outbound",
        statements: [
            "ALTER TABLE outbox ADD COLUMN channel TEXT NOT NULL DEFAULT 'email' CHECK (channel IN ('none', 'email', 'sms'))",
            "ALTER TABLE outbox ADD COLUMN failed_at BIGINT",
            "ALTER TABLE outbox ADD COLUMN failure TEXT",
            "DROP INDEX outbox_by_due",
            """
            CREATE INDEX outbox_by_due ON outbox (channel, due_at) WHERE delivered_at IS NULL AND failed_at IS NULL
            """,
        ])
}
