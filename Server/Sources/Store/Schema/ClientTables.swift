extension FlowTables {
    /// Clients, and the merchants that their tokens can name.
    static let clients = FlowTables(
        statements: [
            """
            CREATE TABLE clients (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 255),
                brand_id TEXT REFERENCES brands (id),
                name TEXT NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('public', 'confidential')),
                auth_method TEXT NOT NULL
                    CHECK (auth_method IN (
                        'none', 'attest_jwt_client_auth_dpop', 'client_secret_basic', 'client_secret_post',
                        'private_key_jwt'
                    )),
                secret_hash BYTEA,
                jwks TEXT,
                redirect_uris TEXT NOT NULL,
                scopes TEXT NOT NULL,
                settings TEXT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('active', 'deleted')),
                created_at BIGINT NOT NULL,
                updated_at BIGINT NOT NULL,
                former_secret_hash BYTEA,
                former_secret_ends_at BIGINT,
                CHECK ((kind = 'public') = (auth_method IN ('none', 'attest_jwt_client_auth_dpop'))),
                CHECK ((secret_hash IS NOT NULL) = (auth_method IN ('client_secret_basic', 'client_secret_post'))),
                CHECK ((former_secret_hash IS NULL) = (former_secret_ends_at IS NULL)),
                CHECK (former_secret_hash IS NULL OR secret_hash IS NOT NULL)
            )
            """,
            """
            CREATE TABLE merchants (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
                name TEXT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE merchant_clients (
                merchant_id TEXT NOT NULL REFERENCES merchants (id),
                client_id TEXT NOT NULL REFERENCES clients (id),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (merchant_id, client_id)
            )
            """,
            "CREATE INDEX merchant_clients_by_client ON merchant_clients (client_id, merchant_id)",
            """
            CREATE TABLE merchant_employees (
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                merchant_id TEXT NOT NULL REFERENCES merchants (id),
                created_at BIGINT NOT NULL,
                PRIMARY KEY (account_id, merchant_id)
            )
            """,
            "CREATE INDEX merchant_employees_by_merchant ON merchant_employees (merchant_id, account_id)",
        ],
        restoring: [
            // But the role of a backend does not count until an operator has changed the client (`OperatorCaller`).
            "clients": .leftToOperators,
            "merchants": .leftToOperators,
            "merchant_clients": .leftToOperators,
            "merchant_employees": .leftToOperators,
        ])
}
