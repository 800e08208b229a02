extension FlowTables {
    /// Registrations of newcomers, and what accounts are found by then.
    static let registrations = FlowTables(
        statements: [
            // One row for each code that was asked for, whether the address has an account or not. What else a registration needs is in
            // the sealed state that the newcomer has.
            """
            CREATE TABLE registrations (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                code_mac BYTEA NOT NULL CHECK (length(code_mac) = 32),
                mac_key_id BIGINT NOT NULL,
                code_expires_at BIGINT NOT NULL,
                tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX registrations_by_expiry ON registrations (expires_at)",
            // Keyed digests of the addresses that accounts have, and of what their names look like. An address is sealed at rest, so
            // nothing else finds the account that has it. A digest may be out of date: who finds an account compares what it has.
            """
            CREATE TABLE account_digests (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                kind TEXT NOT NULL CHECK (kind IN ('email', 'phone', 'name', 'small_name')),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                PRIMARY KEY (account_id, kind, digest)
            )
            """,
            "CREATE INDEX account_digests_by_digest ON account_digests (kind, digest)",
        ],
        restoring: [
            "registrations": .removed(by: "id"),
            "account_digests": .kept(because: "they are the accounts'"),
        ])
}
