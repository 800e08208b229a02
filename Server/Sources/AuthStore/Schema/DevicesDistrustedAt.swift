extension Migration {
    /// When an account last stopped trusting the keys and browsers it had known.
    package static let devicesDistrustedAt = Migration(
        version: 23, name: "strangers since",
        statements: [
            // Of what was taken away before this was kept, the ends of the sessions speak, as they did.
            "ALTER TABLE accounts ADD COLUMN strangers_since BIGINT"
        ])
}
