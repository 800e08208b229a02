extension Migration {
    /// Columns for restores and exemptions: restored factors cool down, low-value payments wait for a consent, and
    /// consents to show account information are stored for each backend.
    package static let restores = Migration(
        version: 26, name: "restores",
        statements: [
            "ALTER TABLE federated_identities ADD COLUMN cooling_until BIGINT NOT NULL DEFAULT 0",
            // 1 from a restore until the next consent, because the counts since the copy are lost.
            "ALTER TABLE sca_history ADD COLUMN asks BIGINT NOT NULL DEFAULT 0 CHECK (asks IN (0, 1))",
            // RTS article 10: a consent at one backend does not cover another. Existing consents are asked for again.
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
