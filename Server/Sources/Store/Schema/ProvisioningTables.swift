extension FlowTables {
    /// What clients that provision accounts and merchants keep of them.
    static let provisioning = FlowTables(
        statements: [
            // `made_at` is null if the account was there before the client knew it.
            """
            CREATE TABLE provisioned_accounts (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 255),
                made_at BIGINT,
                PRIMARY KEY (account_id, client_id)
            )
            """,
            "CREATE INDEX provisioned_accounts_by_external_id ON provisioned_accounts (client_id, external_id)",
            // `made_at` is null if an operator created the merchant.
            """
            CREATE TABLE provisioned_groups (
                merchant_id TEXT NOT NULL REFERENCES merchants (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                external_id TEXT CHECK (length(external_id) BETWEEN 1 AND 255),
                made_at BIGINT,
                PRIMARY KEY (merchant_id, client_id)
            )
            """,
            "CREATE INDEX provisioned_groups_by_external_id ON provisioned_groups (client_id, external_id)",
        ],
        restoring: [
            "provisioned_accounts": .kept(because: "they are the clients' names for the accounts"),
            "provisioned_groups": .kept(because: "they are the clients' names for the merchants"),
        ])
}
