extension FlowTables {
    /// What accounts are found by when a newcomer registers.
    static let registrations = FlowTables(
        statements: [
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
            "account_digests": .kept(because: "they are the accounts'")
        ])
}
