extension FlowTables {
    /// Account PINs.
    static let accountPINs = FlowTables(
        statements: [
            // The numbers are those of AccountPINLimits: `failed` counts since the last correct guess, `failed_total`
            // since the PIN was set. The version identifies the PIN, so that a comparison with an old PIN is not
            // counted for the next.
            """
            CREATE TABLE account_pins (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                version BYTEA NOT NULL CHECK (length(version) = 16),
                hash BYTEA NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('active', 'locked')),
                failed BIGINT NOT NULL CHECK (failed BETWEEN 0 AND 5),
                failed_total BIGINT NOT NULL CHECK (failed_total BETWEEN 0 AND 30),
                set_at BIGINT NOT NULL,
                locked_at BIGINT,
                cooling_until BIGINT NOT NULL DEFAULT 0,
                charged_at BIGINT,
                CHECK ((state = 'locked') = (locked_at IS NOT NULL))
            )
            """
        ],
        restoring: [
            // The copy may have missed wrong guesses or a changed PIN. A new one has to be set.
            "account_pins": .ended(
                .update(
                    "account_pins", by: "account_id", set: "state = 'locked', locked_at = $3",
                    where: "state = 'active'"))
        ])
}
