extension Migration {
    /// By which state of the account, and when, a challenge of a PIN was answered.
    package static let pinUses = Migration(
        version: 10, name: "pin uses",
        statements: [
            "ALTER TABLE pin_challenges ADD COLUMN security_version BIGINT",
            "ALTER TABLE pin_challenges ADD COLUMN used_at BIGINT",
        ])
}
