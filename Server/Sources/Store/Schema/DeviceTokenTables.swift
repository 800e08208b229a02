extension FlowTables {
    /// Holders' decisions on long-lived sessions, and the tokens of those who agreed.
    static let deviceTokens = FlowTables(
        statements: [
            // One row for each device; a new token replaces the old one.
            """
            CREATE TABLE device_tokens (
                device_id BYTEA NOT NULL PRIMARY KEY REFERENCES devices (id),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                state TEXT NOT NULL CHECK (state IN ('active', 'expired', 'declined')),
                digest BYTEA CHECK (length(digest) = 32),
                security_version BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                last_used_at BIGINT,
                expires_at BIGINT NOT NULL,
                CHECK ((state = 'active') = (digest IS NOT NULL))
            )
            """,
            "CREATE INDEX device_tokens_by_account ON device_tokens (account_id)",
        ],
        restoring: [
            // A declined offer stays declined.
            "device_tokens": .ended(
                .update(
                    "device_tokens", by: "device_id", set: "state = 'expired', digest = NULL",
                    where: "state = 'active'"))
        ])
}
