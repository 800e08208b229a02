extension FlowTables {
    /// Passkeys.
    static let passkeys = FlowTables(
        statements: [
            """
            CREATE TABLE passkeys (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                credential_id BYTEA NOT NULL CHECK (length(credential_id) BETWEEN 16 AND 1023),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                relying_party TEXT NOT NULL,
                public_key BYTEA NOT NULL,
                counter BIGINT NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
                backup_eligible BIGINT NOT NULL CHECK (backup_eligible IN (0, 1)),
                backed_up BIGINT NOT NULL CHECK (backed_up IN (0, 1)),
                transports TEXT NOT NULL,
                name BYTEA NOT NULL,
                created_at BIGINT NOT NULL,
                cooling_until BIGINT NOT NULL,
                last_used_at BIGINT
            )
            """,
            // A passkey is looked up by its credential id, which must therefore be unique.
            "CREATE UNIQUE INDEX passkeys_by_credential ON passkeys (credential_id)",
            "CREATE INDEX passkeys_by_account ON passkeys (account_id, created_at)",
        ],
        restoring: [
            // A passkey removed since is back. It counts as one factor for a while.
            "passkeys": .cooled(
                .update("passkeys", by: "id", set: "cooling_until = $3", where: "cooling_until < $3"))
        ])
}
