extension Migration {
    /// When an account last stopped trusting the keys and browsers it had known.
    package static let devicesDistrustedAt = Migration(
        version: 23, name: "strangers since",
        statements: [
            // For revocations before this migration, the ends of the sessions decide, as before.
            "ALTER TABLE accounts ADD COLUMN strangers_since BIGINT"
        ])
}
