extension Migration {
    /// Recovery by the person: the codes that were sent, who closed an account, and until when a recovered one cools.
    package static let recoveries = Migration(
        version: 12, name: "recoveries",
        statements: [
            // One row for each recovery that waits for its code, whether somebody has the name or not: what is written must
            // not tell. Each has a code of its own, so that a stranger's recovery voids nobody else's.
            """
            CREATE TABLE recoveries (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA REFERENCES accounts (id),
                budget BYTEA NOT NULL CHECK (length(budget) = 32),
                ceiling BYTEA CHECK (length(ceiling) = 32),
                security_version BIGINT NOT NULL,
                code_mac BYTEA NOT NULL CHECK (length(code_mac) = 32),
                mac_key_id BIGINT NOT NULL,
                code_expires_at BIGINT NOT NULL,
                sends BIGINT NOT NULL CHECK (sends BETWEEN 1 AND 3),
                sent_at BIGINT NOT NULL,
                tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX recoveries_by_expiry ON recoveries (expires_at)",
            "CREATE INDEX recoveries_by_account ON recoveries (account_id) WHERE account_id IS NOT NULL",
            "ALTER TABLE accounts ADD COLUMN closed_by TEXT CHECK (closed_by IN ('failures', 'operator'))",
            "ALTER TABLE accounts ADD COLUMN cooling_until BIGINT",
        ],
        restoring: [
            "recoveries": .removed(by: "id")
        ])
}
