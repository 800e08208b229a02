extension FlowTables {
    /// Authorization codes, pushed requests, and the sessions of browsers.
    static let authorization = FlowTables(
        statements: [
            // `code_digest` is the digest of the redeemed code. A repeated sign-in gets another code, which must not
            // end the first one's session.
            """
            CREATE TABLE redeemed_codes (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
                session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
                expires_at BIGINT NOT NULL,
                code_digest BYTEA CHECK (length(code_digest) = 32)
            )
            """,
            "CREATE INDEX redeemed_codes_by_expiry ON redeemed_codes (expires_at)",
            """
            CREATE TABLE stored_codes (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
                sealed BYTEA NOT NULL CHECK (length(sealed) <= 65536),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX stored_codes_by_expiry ON stored_codes (expires_at)",
            // `id` is a digest of the reference, `spender` one of the browser and the account that got the code.
            """
            CREATE TABLE pushed_requests (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 32),
                sealed TEXT NOT NULL CHECK (length(sealed) <= 262144),
                spender BYTEA CHECK (length(spender) = 32),
                code TEXT CHECK (length(code) <= 16384),
                expires_at BIGINT NOT NULL,
                CHECK ((spender IS NULL) = (code IS NULL))
            )
            """,
            "CREATE INDEX pushed_requests_by_expiry ON pushed_requests (expires_at)",
            """
            CREATE TABLE browser_sessions (
                id_hash BYTEA NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                security_version BIGINT NOT NULL,
                auth_time BIGINT NOT NULL,
                acr TEXT,
                amr TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                last_used_at BIGINT NOT NULL,
                browser TEXT CHECK (length(browser) <= 32),
                system TEXT CHECK (length(system) <= 32),
                network BYTEA
            )
            """,
            "CREATE INDEX browser_sessions_by_account ON browser_sessions (account_id)",
            "CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at)",
        ],
        restoring: [
            "redeemed_codes": .kept(because: "codes from before a restore do not open"),
            "stored_codes": .removed(by: "id"),
            "pushed_requests": .removed(by: "id"),
            "browser_sessions": .removed(by: "id_hash"),
        ])
}
