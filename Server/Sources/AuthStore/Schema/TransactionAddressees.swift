extension Migration {
    /// Whether the backend named the account of a transaction. This is unknown for existing rows. They count as
    /// unaddressed: their backend learns who signed, and nothing before.
    package static let transactionAddressees = Migration(
        version: 28, name: "transaction addressees",
        statements: [
            "ALTER TABLE transactions ADD COLUMN addressed BIGINT NOT NULL DEFAULT 0 CHECK (addressed IN (0, 1))"
        ])
}
