extension FlowTables {
    /// The accounts whose holders administer the server over HTTP, or are invited to.
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
            """,
            // A one-time link to the page on which an operator sets a password and a second factor. `accepted_by` marks the form that set
            // the password; the role then waits for the second factor. `made_by` is the operator who made it over HTTP.
            """
            CREATE TABLE operator_invitations (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                role TEXT NOT NULL CHECK (role IN ('owner', 'support', 'auditor', 'developer')),
                brand_id TEXT REFERENCES brands (id),
                security_version BIGINT NOT NULL,
                accepted_by BYTEA CHECK (length(accepted_by) = 16),
                made_by BYTEA CHECK (length(made_by) = 16),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX operator_invitations_by_expiry ON operator_invitations (expires_at)",
            // A call over HTTP that waits for the same call by a second operator.
            """
            CREATE TABLE operator_requests (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                command TEXT NOT NULL,
                about BYTEA CHECK (length(about) = 16),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE UNIQUE INDEX operator_requests_by_digest ON operator_requests (digest)",
            "CREATE INDEX operator_requests_by_account ON operator_requests (account_id)",
            "CREATE INDEX operator_requests_by_expiry ON operator_requests (expires_at)",
        ],
        restoring: [
            // The copy may contain roles revoked since, and links that were used. The command line makes new ones.
            "operators": .removed(by: "account_id"),
            "operator_invitations": .removed(by: "account_id"),
            "operator_requests": .removed(by: "id"),
        ])
}
