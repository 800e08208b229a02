extension FlowTables {
    /// Sessions, and the `jti`s of client assertions and proofs.
    static let tokens = FlowTables(
        statements: [
            // A session has one row, and tokens have none: a refresh changes the row in place, and no indexed column,
            // so that it writes one page. For that reason there is no index on expires_at; the sweep walks the time-
            // ordered ids. `counts_until` is the end of the time in which the sign-in's factors count for payments.
            """
            CREATE TABLE sessions (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                granted_to TEXT REFERENCES clients (id),
                dpop_jkt BYTEA CHECK (length(dpop_jkt) = 32),
                secret BYTEA NOT NULL CHECK (length(secret) = 16),
                mac_key_id BIGINT NOT NULL,
                generation BIGINT NOT NULL CHECK (generation >= 0),
                rotated_at BIGINT NOT NULL,
                attempt_hash BYTEA CHECK (length(attempt_hash) = 32),
                scope TEXT NOT NULL,
                audience TEXT NOT NULL,
                acr TEXT,
                amr TEXT NOT NULL,
                auth_time BIGINT NOT NULL,
                security_version BIGINT NOT NULL,
                merchant_id TEXT REFERENCES merchants (id),
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                absolute_expires_at BIGINT NOT NULL,
                revoked_at BIGINT,
                revoked_reason TEXT,
                device_id BYTEA REFERENCES devices (id),
                counts_until BIGINT NOT NULL DEFAULT 0,
                requires_proof BIGINT NOT NULL DEFAULT 0 CHECK (requires_proof IN (0, 1)),
                network BYTEA,
                authorization_details BYTEA,
                CHECK (expires_at <= absolute_expires_at),
                CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
            )
            """,
            // Also counts the sessions of each end that an account has at a client, without a read of their rows. A refresh
            // changes no column of the index, and an end changes one once.
            """
            CREATE INDEX sessions_by_account_and_reason
                ON sessions (account_id, revoked_reason, client_id, granted_to)
            """,
            "CREATE INDEX sessions_by_device ON sessions (device_id) WHERE device_id IS NOT NULL",
            """
            CREATE TABLE seen_jtis (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX seen_jtis_by_expiry ON seen_jtis (expires_at)",
        ],
        restoring: [
            "sessions": .ended(
                .update(
                    "sessions", by: "id", set: "revoked_at = $3, revoked_reason = 'administrator'",
                    where: "revoked_at IS NULL")),
            "seen_jtis": .kept(
                because:
                    "what it misses does not open: challenges are sealed for the time between two restores, and client assertions tell when they were made"
            ),
        ])
}
