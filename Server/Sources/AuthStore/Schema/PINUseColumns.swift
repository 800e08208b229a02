extension Migration {
    /// The account's security version and the time at which a PIN challenge was answered.
    package static let pinUses = Migration(
        version: 10, name: "pin uses",
        statements: [
            "ALTER TABLE pin_challenges ADD COLUMN security_version BIGINT",
            "ALTER TABLE pin_challenges ADD COLUMN used_at BIGINT",
        ])
}
