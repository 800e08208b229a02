extension FlowTables {
    /// Recoveries by the holder: the codes sent.
    static let recoveries = FlowTables(
        statements: [
            // One row for each recovery that waits for its code, even if no account has the name: the writes must not
            // reveal which names exist. Each has its own code, so that a recovery by another person voids none.
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
        ],
        restoring: [
            "recoveries": .removed(by: "id")
        ])
}
