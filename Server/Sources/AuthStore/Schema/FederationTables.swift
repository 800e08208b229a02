extension Migration {
    /// Sign-in with another party's assertion: login nonces of backends, identity providers, and their links to
    /// accounts.
    package static let federation = Migration(
        version: 5, name: "federation",
        statements: [
            // One row for each unused nonce. Using it deletes the row.
            """
            CREATE TABLE login_nonces (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                security_version BIGINT NOT NULL,
                issuer_client_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
                key_thumbprint BYTEA CHECK (length(key_thumbprint) = 32),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at)",
            """
            CREATE TABLE identity_providers (
                brand_id TEXT NOT NULL REFERENCES brands (id),
                id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
                kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),
                settings TEXT NOT NULL,
                secret BYTEA,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (brand_id, id)
            )
            """,
            // The digest covers the provider's own identity and the subject there. A removed provider and a new one
            // with its name therefore share no one. The subject itself is sealed, for display to its person.
            """
            CREATE TABLE federated_identities (
                brand_id TEXT NOT NULL REFERENCES brands (id),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                provider_id TEXT NOT NULL,
                subject BYTEA NOT NULL,
                linked_at BIGINT NOT NULL,
                PRIMARY KEY (brand_id, digest)
            )
            """,
            "CREATE INDEX federated_identities_by_account ON federated_identities (account_id)",
        ],
        restoring: [
            "login_nonces": .removed(by: "digest"),
            "identity_providers": .kept(
                because: "an operator adds and removes them, and looks through them after a restore"),
            // An identity unlinked since is back. Alone, it changes nothing and pays nothing for a while.
            "federated_identities": .cooled(
                .update(
                    "federated_identities", by: "account_id", set: "cooling_until = $3", where: "cooling_until < $3")),
        ])
}
