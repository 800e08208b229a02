extension Migration {
    /// The limits of a consent, of its attempts, and of payments without one.
    package static let consentBounds = Migration(
        version: 21, name: "consent_bounds",
        statements: [
            "ALTER TABLE wallet_operations ADD COLUMN challenges BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE wallet_operations ADD COLUMN tried_at BIGINT",
            "ALTER TABLE wallet_operations ADD COLUMN counted_in BIGINT",
            "ALTER TABLE wallet_operations ADD COLUMN ended_at BIGINT",
            """
            CREATE INDEX wallet_operations_open ON wallet_operations (account_id, client_id, expires_at)
                WHERE state IN ('open', 'challenged', 'verified')
            """,
            "ALTER TABLE sca_history ADD COLUMN consents BIGINT NOT NULL DEFAULT 0",
        ])
}
