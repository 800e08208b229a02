extension Migration {
    /// From when on a PIN of an account counts for payments, and when it was last guessed at.
    package static let accountPINUses = Migration(
        version: 22, name: "account pin uses",
        statements: [
            // A PIN from before this was kept counts, as it did.
            "ALTER TABLE account_pins ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE account_pins ADD COLUMN charged_at BIGINT",
        ])
}
