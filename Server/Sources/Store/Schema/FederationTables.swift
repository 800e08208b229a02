extension FlowTables {
    /// Identity providers, and their links to accounts.
    static let federation = FlowTables(
        statements: [
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
            // `name_digest` is a keyed digest of the name that a password was entered for. `asserts_address` says
            // whether the provider asserts the account's own address.
            """
            CREATE TABLE federated_identities (
                brand_id TEXT NOT NULL REFERENCES brands (id),
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                provider_id TEXT NOT NULL,
                subject BYTEA NOT NULL,
                linked_at BIGINT NOT NULL,
                name_digest BYTEA CHECK (length(name_digest) = 32),
                asserts_address BIGINT NOT NULL DEFAULT 1 CHECK (asserts_address IN (0, 1)),
                cooling_until BIGINT NOT NULL DEFAULT 0,
                PRIMARY KEY (brand_id, digest)
            )
            """,
            "CREATE INDEX federated_identities_by_account ON federated_identities (account_id)",
            "CREATE INDEX federated_identities_by_name ON federated_identities (brand_id, name_digest)",
            // The merchants that a provider is an integration of.
            """
            CREATE TABLE provider_integrations (
                merchant_id BIGINT NOT NULL,
                integration_id TEXT NOT NULL CHECK (length(integration_id) BETWEEN 1 AND 128),
                brand_id TEXT NOT NULL,
                provider_id TEXT NOT NULL,
                card_template BIGINT,
                activation_store TEXT,
                PRIMARY KEY (merchant_id, integration_id),
                FOREIGN KEY (brand_id, provider_id) REFERENCES identity_providers (brand_id, id)
            )
            """,
            "CREATE INDEX provider_integrations_by_provider ON provider_integrations (brand_id, provider_id)",
            // Accounts whose last way to sign in ended at its provider.
            """
            CREATE TABLE unreachable_accounts (
                account_id BYTEA NOT NULL PRIMARY KEY REFERENCES accounts (id),
                unreachable_since BIGINT NOT NULL
            )
            """,
        ],
        restoring: [
            "identity_providers": .leftToOperators,
            // An identity unlinked since is back. Alone, it changes nothing and pays nothing for a while.
            "federated_identities": .cooled(
                .update(
                    "federated_identities", by: "account_id", set: "cooling_until = $3", where: "cooling_until < $3")),
            "provider_integrations": .leftToOperators,
            "unreachable_accounts": .kept(
                because: "a row counts only while its account has neither a password nor an identity"),
        ])
}
