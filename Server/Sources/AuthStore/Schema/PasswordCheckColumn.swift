extension Migration {
    /// When a password was last looked for, and not found, in lists of stolen ones.
    package static let passwordChecks = Migration(
        version: 11, name: "password checks",
        statements: ["ALTER TABLE accounts ADD COLUMN password_checked_at BIGINT"])
}
