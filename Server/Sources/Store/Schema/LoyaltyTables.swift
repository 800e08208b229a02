extension FlowTables {
    /// Loyalty accounts, and enrollments whose answer can be requested again.
    static let loyalty = FlowTables(
        statements: [
            // Integrators identify an account by a number, and enroll it under codes of their own. `phone_digest` is a keyed
            // digest of the number by which a guest is found.
            """
            CREATE TABLE loyalty_accounts (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                number BIGINT NOT NULL,
                merchant_id BIGINT NOT NULL,
                integration_id TEXT NOT NULL,
                card_template BIGINT,
                activation_store TEXT,
                enrolled_at BIGINT NOT NULL,
                phone_digest BYTEA
            )
            """,
            "CREATE UNIQUE INDEX loyalty_accounts_by_number ON loyalty_accounts (number)",
            """
            CREATE INDEX loyalty_accounts_by_phone ON loyalty_accounts (phone_digest)
                WHERE phone_digest IS NOT NULL
            """,
            // The digest covers the client, the request's integration and its authorization code, which works once.
            // `sealed` is the result of the code's redemption and, once there is an account, the request that created
            // it.
            """
            CREATE TABLE loyalty_enrollments (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                account_id BYTEA REFERENCES accounts (id),
                sealed BYTEA NOT NULL,
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX loyalty_enrollments_by_account ON loyalty_enrollments (account_id)",
            "CREATE INDEX loyalty_enrollments_by_expiry ON loyalty_enrollments (expires_at)",
        ],
        restoring: [
            "loyalty_accounts": .kept(because: "they open nothing: integrators know accounts by their numbers"),
            // The account may have changed since in ways that the copy does not know.
            "loyalty_enrollments": .removed(by: "digest"),
        ])
}
