extension Migration {
    /// Whether the backend named the account of a transaction. Of those from before it is not known, and they count as named by
    /// nobody: their backend learns who signed, and nothing before.
    package static let transactionAddressees = Migration(
        version: 28, name: "transaction addressees",
        statements: [
            "ALTER TABLE transactions ADD COLUMN addressed BIGINT NOT NULL DEFAULT 0 CHECK (addressed IN (0, 1))"
        ])
}
