extension Migration {
    /// What accounts allow third-party clients.
    package static let clientConsents = Migration(
        version: 25, name: "client consents",
        statements: [
            // The id is new with every consent: a code names the one it was made under, so that none from before a
            // withdrawal comes back to life with the next consent.
            """
            CREATE TABLE client_consents (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                id BYTEA NOT NULL CHECK (length(id) = 16),
                scope TEXT NOT NULL,
                granted_at BIGINT NOT NULL,
                changed_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, client_id)
            )
            """,
            "CREATE INDEX client_consents_by_client ON client_consents (client_id)",
        ],
        // One that was withdrawn after the copy was made would come back: people are asked again.
        restoring: ["client_consents": .removed(by: "account_id")])
}
