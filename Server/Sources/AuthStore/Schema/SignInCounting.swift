extension Migration {
    /// How long a sign-in's factors count for payments, and when a new authenticator app begins to count.
    package static let signInCounting = Migration(
        version: 20, name: "sign-in counting",
        statements: [
            // It is unknown whether existing sessions were idle, so they count only after the next sign-in.
            "ALTER TABLE sessions ADD COLUMN counts_until BIGINT NOT NULL DEFAULT 0",
            // Separate from the secrets, because removing the app or setting up another must not end the cooling
            // period. Existing apps have no row, and count.
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
