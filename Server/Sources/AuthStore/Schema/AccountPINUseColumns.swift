extension Migration {
    /// When an account PIN begins to count for payments, and when it was last guessed at.
    package static let accountPINUses = Migration(
        version: 22, name: "account pin uses",
        statements: [
            // Existing PINs count, as before.
            "ALTER TABLE account_pins ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE account_pins ADD COLUMN charged_at BIGINT",
        ])
}
