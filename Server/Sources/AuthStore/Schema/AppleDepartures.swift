extension Migration {
    /// The team that a transfer takes a person to, so that transfers to several teams can be prepared; and accounts
    /// whose last way to sign in ended at its provider.
    package static let appleDepartures = Migration(
        version: 33, name: "apple departures",
        statements: [
            // Null in existing rows: those people are asked about again.
            "ALTER TABLE apple_transfers ADD COLUMN team TEXT",
            """
            CREATE TABLE lost_ways_in (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                lost_at BIGINT NOT NULL
            )
            """,
        ],
        restoring: [
            "lost_ways_in": .kept(because: "a row counts only while its account has neither a password nor an identity")
        ])
}
