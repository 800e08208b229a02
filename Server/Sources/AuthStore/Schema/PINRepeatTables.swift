extension Migration {
    /// What a repeated assertion is answered by, and which PINs ran out of tries.
    package static let pinRepeats = Migration(
        version: 32, name: "pin repeats",
        statements: [
            // The rows of before live for a day and hold digests of payloads that were not keyed: beside a stolen copy of the
            // database they tell which guess of a PIN is right. They go, and a challenge that was open is asked for again.
            "DROP TABLE pin_challenges",
            """
            CREATE TABLE pin_challenges (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                device_id BYTEA NOT NULL REFERENCES devices (id),
                idempotency_key TEXT NOT NULL CHECK (length(idempotency_key) BETWEEN 16 AND 64),
                request_digest BYTEA NOT NULL CHECK (length(request_digest) = 32),
                request TEXT NOT NULL,
                nonce TEXT NOT NULL,
                epoch BIGINT,
                new_epoch BIGINT,
                attempts_left BIGINT,
                state TEXT NOT NULL CHECK (state IN ('open', 'used', 'failed', 'abandoned')),
                payload_digest BYTEA CHECK (length(payload_digest) = 32),
                tries_left BIGINT,
                security_version BIGINT,
                used_at BIGINT,
                ends_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                CHECK ((state IN ('used', 'failed')) = (payload_digest IS NOT NULL))
            )
            """,
            // A repeated request is known by its key; a second open challenge of one device is what a race would make.
            "CREATE UNIQUE INDEX pin_challenges_by_key ON pin_challenges (device_id, idempotency_key)",
            "CREATE UNIQUE INDEX pin_challenges_one_open ON pin_challenges (device_id) WHERE state = 'open'",
            "CREATE INDEX pin_challenges_by_expiry ON pin_challenges (expires_at)",
            // Last tries that may end unanswered: they are looked for every minute.
            """
            CREATE INDEX pin_challenges_of_last_tries ON pin_challenges (ends_at)
            WHERE state = 'open' AND attempts_left = 0
            """,
            // When the holder was told that the tries of thirty days are spent; null where some are left.
            "ALTER TABLE pins ADD COLUMN exhausted_at BIGINT",
            // Of the code that was redeemed: a sign-in that is repeated gets another code, which must not end the first's session.
            "ALTER TABLE redeemed_codes ADD COLUMN code_digest BYTEA CHECK (length(code_digest) = 32)",
        ])
}
