extension FlowTables {
    /// What `account import` has to remember.
    static let imports = FlowTables(
        statements: [
            // The employments and consents of accounts that were imported once: a line does not bring back what was ended since.
            """
            CREATE TABLE imported_grants (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                kind TEXT NOT NULL CHECK (kind IN ('employee', 'consent')),
                target TEXT NOT NULL,
                imported_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, kind, target)
            )
            """,
            // The refresh tokens of a former system that were exchanged, as digests, with the session of each.
            """
            CREATE TABLE foreign_tokens (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
                exchanged_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX foreign_tokens_by_account ON foreign_tokens (account_id)",
        ],
        restoring: [
            "imported_grants": .kept(because: "what it misses is missing in the copy as well, and is imported again"),
            "foreign_tokens": .kept(
                because: "all sessions end, and a token that it misses is asked about again before it opens another"),
        ])
}
