extension Migration {
    /// The chains that bind the record of security events. What was recorded before stays outside of them, and is counted
    /// in their first entry.
    package static let audit = Migration(
        version: 6, name: "audit chains",
        statements: [
            "ALTER TABLE security_events ADD COLUMN chain BIGINT",
            "ALTER TABLE security_events ADD COLUMN seq BIGINT",
            "ALTER TABLE security_events ADD COLUMN kid BIGINT",
            "ALTER TABLE security_events ADD COLUMN salt BYTEA",
            "ALTER TABLE security_events ADD COLUMN details_digest BYTEA",
            "ALTER TABLE security_events ADD COLUMN link BYTEA",
            // Two writers of one chain at the same moment: one of them is refused, and begins again.
            "CREATE UNIQUE INDEX security_events_by_chain ON security_events (chain, seq)",
        ])
}
