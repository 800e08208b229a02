extension FlowTables {
    /// Transactions signed on a device, and their history.
    static let transactions = FlowTables(
        statements: [
            // `sealed` is the request, `payload` the bytes to sign, `assertion` the signature of device and second
            // factor. `addressed` says whether the backend named the account. If not, the backend learns who signed,
            // and nothing before.
            """
            CREATE TABLE transactions (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                origin TEXT NOT NULL CHECK (origin IN ('server', 'client')),
                client_id TEXT NOT NULL,
                brand_id TEXT NOT NULL,
                issuer TEXT NOT NULL,
                create_key TEXT,
                account_id BYTEA REFERENCES accounts (id),
                device_id BYTEA CHECK (length(device_id) = 16),
                state TEXT NOT NULL
                    CHECK (state IN ('created', 'claimed', 'confirmed', 'signed', 'rejected', 'failed', 'cancelled')),
                reason TEXT,
                required_factor TEXT NOT NULL,
                factor TEXT,
                sealed BYTEA NOT NULL,
                payload BYTEA,
                payload_hash TEXT,
                assertion BYTEA,
                revision BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                ended_at BIGINT,
                kept_until BIGINT NOT NULL,
                addressed BIGINT NOT NULL DEFAULT 0 CHECK (addressed IN (0, 1)),
                CHECK ((payload IS NULL) = (device_id IS NULL)),
                CHECK ((payload IS NULL) = (payload_hash IS NULL)),
                CHECK (device_id IS NULL OR account_id IS NOT NULL),
                CHECK ((state = 'signed') = (factor IS NOT NULL)),
                CHECK ((state = 'signed') = (assertion IS NOT NULL)),
                CHECK ((state IN ('created', 'claimed', 'confirmed')) = (ended_at IS NULL)),
                CHECK ((state IN ('rejected', 'cancelled')) = (reason IS NOT NULL)),
                CHECK (state <> 'created' OR device_id IS NULL),
                CHECK (state NOT IN ('claimed', 'confirmed', 'signed', 'rejected', 'failed') OR device_id IS NOT NULL)
            )
            """,
            """
            CREATE UNIQUE INDEX transactions_by_key ON transactions (client_id, create_key)
                WHERE create_key IS NOT NULL
            """,
            "CREATE INDEX transactions_by_client ON transactions (client_id, id)",
            "CREATE INDEX transactions_by_brand ON transactions (brand_id, id) WHERE origin = 'client'",
            "CREATE INDEX transactions_by_account ON transactions (account_id, id) WHERE account_id IS NOT NULL",
            "CREATE INDEX transactions_by_device ON transactions (device_id, id) WHERE device_id IS NOT NULL",
            "CREATE INDEX transactions_by_end ON transactions (kept_until)",
            // The circumstances are personal data and sealed. They are deleted when the account is erased.
            """
            CREATE TABLE transaction_steps (
                transaction_id BYTEA NOT NULL REFERENCES transactions (id),
                number BIGINT NOT NULL CHECK (number >= 1),
                status TEXT NOT NULL,
                circumstances BYTEA,
                chain BIGINT NOT NULL,
                seq BIGINT NOT NULL,
                link BYTEA NOT NULL,
                at BIGINT NOT NULL,
                PRIMARY KEY (transaction_id, number)
            )
            """,
        ],
        restoring: [
            // A transaction open in the copy may have been signed, rejected or cancelled since, even if it has expired
            // by now.
            "transactions": .ended(
                .update(
                    "transactions", by: "id",
                    set: "state = 'cancelled', reason = 'RESTORE', ended_at = $3, revision = revision + 1",
                    where: "state IN ('created', 'claimed', 'confirmed')")),
            "transaction_steps": .kept(because: "they prove what was signed"),
        ])
}
