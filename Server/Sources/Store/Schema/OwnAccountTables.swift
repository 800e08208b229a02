extension FlowTables {
    /// What holders change about their own account.
    static let ownAccount = FlowTables(
        statements: [
            // One row for each new address or number that waits for its code; `channel` is how the code is sent. `value` and
            // `former` are sealed as the account's own columns.
            """
            CREATE TABLE contact_changes (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                channel TEXT NOT NULL CHECK (channel IN ('email', 'sms')),
                id BYTEA NOT NULL CHECK (length(id) = 16),
                session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
                value BYTEA NOT NULL,
                former BYTEA NOT NULL,
                code_mac BYTEA NOT NULL CHECK (length(code_mac) = 32),
                mac_key_id BIGINT NOT NULL,
                tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
                confirmed_at BIGINT,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, channel)
            )
            """,
            "CREATE INDEX contact_changes_by_expiry ON contact_changes (expires_at)",
            // One row for each account that its holder closed. It is erased at `expires_at`, unless `kept_at` is set.
            """
            CREATE TABLE account_closings (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                keep_digest BYTEA NOT NULL CHECK (length(keep_digest) = 32),
                kept_at BIGINT,
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE UNIQUE INDEX account_closings_by_digest ON account_closings (keep_digest)",
            "CREATE INDEX account_closings_by_expiry ON account_closings (expires_at)",
        ],
        restoring: [
            "contact_changes": .removed(by: "account_id"),
            // The person may have kept the account since the copy, and has another week to notice: 604,800,000 milliseconds.
            "account_closings": .ended(
                .update(
                    "account_closings", by: "account_id", set: "expires_at = $3 + 604800000",
                    where: "kept_at IS NULL")),
        ])
}
