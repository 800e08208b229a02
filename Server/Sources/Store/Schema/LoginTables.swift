extension FlowTables {
    /// Attempts at secrets, and the login nonces of backends.
    static let login = FlowTables(
        statements: [
            // Counts by outcome: a reservation is a failure only after its secret was compared and found wrong.
            // `Attempts` explains the columns.
            """
            CREATE TABLE attempts (
                subject BYTEA NOT NULL PRIMARY KEY CHECK (length(subject) BETWEEN 16 AND 32),
                tries BIGINT NOT NULL,
                failures BIGINT NOT NULL CHECK (failures >= 0),
                compared BIGINT NOT NULL CHECK (compared IN (0, 1)),
                last_at BIGINT NOT NULL,
                next_allowed_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                pending BIGINT NOT NULL DEFAULT 0 CHECK (pending >= 0),
                lost BIGINT NOT NULL DEFAULT 0 CHECK (lost >= 0)
            )
            """,
            "CREATE INDEX attempts_by_expiry ON attempts (expires_at)",
            // Every start looks for pending attempts. There are only those under comparison when the process ended.
            "CREATE INDEX attempts_pending ON attempts (subject) WHERE pending > 0",
            // One row for each unused nonce. Using it deletes the row.
            """
            CREATE TABLE login_nonces (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                security_version BIGINT NOT NULL,
                issuer_client_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
                key_thumbprint BYTEA CHECK (length(key_thumbprint) = 32),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at)",
        ],
        restoring: [
            "attempts": .kept(because: "failures that it misses are forgotten within a day anyway"),
            "login_nonces": .removed(by: "digest"),
        ])
}
