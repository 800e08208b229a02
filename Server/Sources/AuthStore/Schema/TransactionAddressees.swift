extension Migration {
    /// Whether the backend named the account of a transaction. Of one that a device has claimed already it is not known any more, so
    /// that it counts as named by nobody.
    package static let transactionAddressees = Migration(
        version: 28, name: "transaction addressees",
        statements: [
            "ALTER TABLE transactions ADD COLUMN addressed BIGINT NOT NULL DEFAULT 0 CHECK (addressed IN (0, 1))",
            "UPDATE transactions SET addressed = 1 WHERE account_id IS NOT NULL AND device_id IS NULL",
        ])
}
