extension FlowTables {
    /// Second factors of accounts, and those that sign-ins wait for.
    static let factors = FlowTables(
        statements: [
            // One row for each sign-in that waits for a second factor. It counts attempts and codes across all
            // factors, and is deleted when the sign-in ends.
            """
            CREATE TABLE open_factors (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                kind TEXT NOT NULL CHECK (kind IN ('totp', 'email', 'sms', 'secret_question', 'recovery_code')),
                code_mac BYTEA CHECK (length(code_mac) = 32),
                mac_key_id BIGINT,
                code_expires_at BIGINT,
                sends BIGINT NOT NULL CHECK (sends BETWEEN 0 AND 3),
                sent_at BIGINT,
                tries BIGINT NOT NULL CHECK (tries BETWEEN 0 AND 5),
                expires_at BIGINT NOT NULL,
                CHECK ((code_mac IS NULL) = (mac_key_id IS NULL)),
                CHECK ((code_mac IS NULL) = (code_expires_at IS NULL)),
                CHECK (code_mac IS NULL OR kind IN ('email', 'sms'))
            )
            """,
            "CREATE INDEX open_factors_by_expiry ON open_factors (expires_at)",
            "CREATE INDEX open_factors_by_account ON open_factors (account_id)",
            // The secret in use, and the pending one, which the session that requested it has to confirm.
            """
            CREATE TABLE totp_secrets (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                state TEXT NOT NULL CHECK (state IN ('pending', 'active')),
                sealed BYTEA NOT NULL,
                session_id BYTEA CHECK (length(session_id) = 16),
                last_step BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT,
                PRIMARY KEY (account_id, state),
                CHECK ((state = 'pending') = (expires_at IS NOT NULL)),
                CHECK ((state = 'pending') = (session_id IS NOT NULL))
            )
            """,
            "CREATE INDEX totp_secrets_by_expiry ON totp_secrets (expires_at) WHERE expires_at IS NOT NULL",
            // Separate from the secrets, because removing the app or setting up another must not end the cooling
            // period. An app without a row counts.
            """
            CREATE TABLE totp_cooling_periods (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                cooling_until BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE recovery_codes (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, digest)
            )
            """,
            """
            CREATE TABLE secret_questions (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                question TEXT NOT NULL CHECK (length(question) BETWEEN 1 AND 64),
                answer BYTEA NOT NULL,
                asked BIGINT NOT NULL CHECK (asked IN (0, 1)),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, question)
            )
            """,
            "CREATE UNIQUE INDEX secret_questions_one_asked ON secret_questions (account_id) WHERE asked = 1",
        ],
        restoring: [
            "open_factors": .removed(by: "id"),
            "totp_secrets": .handled("codes up to the present one are spent; `totp_cooling_periods` has the cooling"),
            "totp_cooling_periods": .cooled(
                RestoreEffect.Rewrite(
                    walking: "totp_secrets", key: "account_id",
                    statement: """
                        INSERT INTO totp_cooling_periods (account_id, cooling_until)
                        SELECT t.account_id, $3 FROM totp_secrets t
                        WHERE t.account_id > $1 AND t.account_id <= $2 AND t.state = 'active'
                        ON CONFLICT (account_id) DO UPDATE SET cooling_until = excluded.cooling_until
                        """)),
            "recovery_codes": .handled("removed, and the holder is notified: they may since have been used"),
            "secret_questions": .kept(because: "an answer proves no category of factor and opens nothing alone"),
        ])
}
