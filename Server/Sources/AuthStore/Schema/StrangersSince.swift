extension Migration {
    /// Since when an account takes keys and browsers for strangers'.
    package static let strangersSince = Migration(
        version: 23, name: "strangers since",
        statements: [
            // Of what was taken away before this was kept, the ends of the sessions speak, as they did.
            "ALTER TABLE accounts ADD COLUMN strangers_since BIGINT"
        ])
}
