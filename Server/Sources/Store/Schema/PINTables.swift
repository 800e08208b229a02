extension FlowTables {
    /// The PINs of enrolled devices (docs/wpin-1.md).
    static let pins = FlowTables(
        statements: [
            // One row for each device with a PIN or with one being set. The caller seals keys and public halves.
            // `exhausted_at` says when the holder was notified that the attempts of thirty days are used up; null if
            // some are left.
            """
            CREATE TABLE pins (
                device_id BYTEA NOT NULL PRIMARY KEY REFERENCES devices (id),
                state TEXT NOT NULL CHECK (state IN ('none', 'active', 'locked')),
                epoch BIGINT CHECK (epoch BETWEEN 1 AND 4294967295),
                failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
                evaluation_key BYTEA,
                public_key BYTEA,
                pending_epoch BIGINT CHECK (pending_epoch BETWEEN 1 AND 4294967295),
                pending_evaluation_key BYTEA,
                last_epoch BIGINT NOT NULL CHECK (last_epoch >= 1),
                changed_at BIGINT NOT NULL,
                exhausted_at BIGINT,
                CHECK ((state = 'none') = (epoch IS NULL)),
                CHECK ((epoch IS NULL) = (evaluation_key IS NULL)),
                CHECK ((epoch IS NULL) = (public_key IS NULL)),
                CHECK ((pending_epoch IS NULL) = (pending_evaluation_key IS NULL))
            )
            """,
            // A charge stays until its own challenge succeeds or it expires. Neither another success nor a new PIN
            // clears it.
            """
            CREATE TABLE pin_charges (
                challenge_id BYTEA NOT NULL PRIMARY KEY CHECK (length(challenge_id) = 16),
                device_id BYTEA NOT NULL REFERENCES devices (id),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX pin_charges_by_device ON pin_charges (device_id, expires_at)",
            "CREATE INDEX pin_charges_by_expiry ON pin_charges (expires_at)",
            // The payload digest is keyed: with a plain one, a thief of the database could verify guesses of a PIN. The
            // request is sealed: the hash in it would verify guesses of a payment.
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
        ],
        restoring: [
            // The count of attempts cannot be trusted. A PIN being set has to be set again.
            "pins": .ended(
                .update(
                    "pins", by: "device_id",
                    set: """
                        state = CASE WHEN state = 'active' THEN 'locked' ELSE state END, pending_epoch = NULL,
                        pending_evaluation_key = NULL, changed_at = $3
                        """, where: "state = 'active' OR pending_epoch IS NOT NULL")),
            "pin_charges": .kept(because: "they hold back guesses until they expire"),
            "pin_challenges": .removed(by: "id"),
        ])
}
