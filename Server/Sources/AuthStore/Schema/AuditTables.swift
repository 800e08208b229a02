extension Migration {
    /// The chains of the audit log. Events from before are outside of them; the first entry records their number.
    package static let audit = Migration(
        version: 6, name: "audit chains",
        statements: [
            "ALTER TABLE security_events ADD COLUMN chain BIGINT",
            "ALTER TABLE security_events ADD COLUMN seq BIGINT",
            "ALTER TABLE security_events ADD COLUMN kid BIGINT",
            "ALTER TABLE security_events ADD COLUMN salt BYTEA",
            "ALTER TABLE security_events ADD COLUMN details_digest BYTEA",
            "ALTER TABLE security_events ADD COLUMN link BYTEA",
            // If two writers extend a chain at the same moment, one of them is refused and starts again.
            "CREATE UNIQUE INDEX security_events_by_chain ON security_events (chain, seq)",
        ])
}
