extension FlowTables {
    /// The accounts whose holders administer the server over HTTP.
    static let operators = FlowTables(
        statements: [
            // Without a brand, the role holds for all brands.
            """
            CREATE TABLE operators (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                role TEXT NOT NULL CHECK (role IN ('owner', 'support', 'auditor', 'developer')),
                brand_id TEXT REFERENCES brands (id),
                granted_at BIGINT NOT NULL
            )
            """
        ],
        restoring: [
            // The copy may contain roles revoked since. They are granted again at the command line.
            "operators": .removed(by: "account_id")
        ])
}
