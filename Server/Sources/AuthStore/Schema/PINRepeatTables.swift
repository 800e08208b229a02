extension Migration {
    /// The answers to repeated assertions, and the PINs without attempts.
    package static let pinRepeats = Migration(
        version: 32, name: "pin repeats",
        statements: [
            // Old rows live for a day and have unkeyed payload digests, with which a thief of the database can verify
            // guesses of a PIN. They are deleted; a device with an open challenge asks for another.
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
            // The first index recognizes a repeated request. The second stops a race from opening two challenges for a
            // device.
            "CREATE UNIQUE INDEX pin_challenges_by_key ON pin_challenges (device_id, idempotency_key)",
            "CREATE UNIQUE INDEX pin_challenges_one_open ON pin_challenges (device_id) WHERE state = 'open'",
            "CREATE INDEX pin_challenges_by_expiry ON pin_challenges (expires_at)",
            // Last attempts that may end without an answer. A job looks for them every minute.
            """
            CREATE INDEX pin_challenges_of_last_tries ON pin_challenges (ends_at)
            WHERE state = 'open' AND attempts_left = 0
            """,
            // When the holder was notified that the attempts of thirty days are used up; null if some are left.
            "ALTER TABLE pins ADD COLUMN exhausted_at BIGINT",
            // The digest of the redeemed code. A repeated sign-in gets another code, which must not end the first one's
            // session.
            "ALTER TABLE redeemed_codes ADD COLUMN code_digest BYTEA CHECK (length(code_digest) = 32)",
        ])
}
