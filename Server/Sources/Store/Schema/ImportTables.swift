extension FlowTables {
    /// What `account import` has to remember.
    static let imports = FlowTables(
        statements: [
            // The employments and consents of accounts that were imported once: a line does not bring back what was ended since.
            """
            CREATE TABLE imported_grants (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                kind TEXT NOT NULL CHECK (kind IN ('employee', 'consent')),
                target TEXT NOT NULL,
                imported_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, kind, target)
            )
            """
        ],
        restoring: [
            "imported_grants": .kept(because: "what it misses is missing in the copy as well, and is imported again")
        ])
}

extension Migration {
    static let movingIn = Migration(version: 47, name: "moving in", tables: [.imports])
}
