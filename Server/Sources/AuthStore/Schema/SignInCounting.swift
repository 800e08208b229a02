extension Migration {
    /// For how long what a sign-in proved counts for a payment, and from when on an authenticator app does.
    package static let signInCounting = Migration(
        version: 20, name: "sign-in counting",
        statements: [
            // Of a session from before this was kept nobody knows whether it was idle: it counts after the next sign-in.
            "ALTER TABLE sessions ADD COLUMN counts_until BIGINT NOT NULL DEFAULT 0",
            // Apart from the secrets: taking the app away, or setting up another, must not end what it began. An app from
            // before this was kept has no row, and counts.
            """
            CREATE TABLE totp_coolings (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                cooling_until BIGINT NOT NULL
            )
            """,
        ],
        restoring: [
            "totp_coolings": .cooled(
                RestoreEffect.Rewrite(
                    walking: "totp_secrets", key: "account_id",
                    statement: """
                        INSERT INTO totp_coolings (account_id, cooling_until)
                        SELECT t.account_id, $3 FROM totp_secrets t
                        WHERE t.account_id > $1 AND t.account_id <= $2 AND t.state = 'active'
                        ON CONFLICT (account_id) DO UPDATE SET cooling_until = excluded.cooling_until
                        """))
        ])
}
