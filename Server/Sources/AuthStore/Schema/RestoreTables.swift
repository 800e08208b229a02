extension Migration {
    /// What restores and exemptions need: factors of a copy cool down, small payments wait for a consent, and consents to see account
    /// information are kept for each backend.
    package static let restores = Migration(
        version: 26, name: "restores",
        statements: [
            "ALTER TABLE federated_identities ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0",
            // 1 from a restore until the next consent: what was counted after the copy was made is lost.
            "ALTER TABLE sca_history ADD COLUMN asks BIGINT NOT NULL DEFAULT 0 CHECK (asks IN (0, 1))",
            // RTS article 10: a consent at one backend says nothing of another. Consents from before this table are asked for again.
            """
            CREATE TABLE account_information_consents (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL,
                consent_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, client_id)
            )
            """,
            "ALTER TABLE sca_history DROP COLUMN information_consent_at",
        ],
        restoring: ["account_information_consents": .removed(by: "account_id")])
}
