extension FlowTables {
    /// Sign-ins at a browser that a phone approves by scanning the page.
    static let scanSignIns = FlowTables(
        statements: [
            // `browser` is a digest of the page's cookie, `network` a keyed digest. `sealed` is the page's request and the seed of its
            // codes, `numbers` what the phone shows, and `number` what the page shows. A row ends at `ends_at`, and is kept until
            // `expires_at`, since wrong numbers count for an hour.
            """
            CREATE TABLE scan_sign_ins (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                brand_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                browser BYTEA NOT NULL CHECK (length(browser) = 32),
                network BYTEA NOT NULL CHECK (length(network) = 32),
                sealed BYTEA NOT NULL,
                state TEXT NOT NULL
                    CHECK (state IN ('open', 'claimed', 'chosen', 'signed', 'used', 'rejected', 'mismatched', 'failed')),
                account_id BYTEA REFERENCES accounts (id),
                device_id BYTEA CHECK (length(device_id) = 16),
                number BIGINT,
                numbers TEXT,
                same_network BIGINT CHECK (same_network IN (0, 1)),
                payload BYTEA,
                payload_hash TEXT,
                assertion BYTEA CHECK (length(assertion) = 32),
                methods TEXT,
                security_version BIGINT,
                signed_at BIGINT,
                revision BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                ends_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                CHECK ((state = 'open') = (account_id IS NULL)),
                CHECK ((account_id IS NULL) = (device_id IS NULL)),
                CHECK ((account_id IS NULL) = (number IS NULL)),
                CHECK ((payload IS NULL) = (payload_hash IS NULL)),
                CHECK ((methods IS NULL) = (signed_at IS NULL)),
                CHECK (state NOT IN ('signed', 'used') OR methods IS NOT NULL)
            )
            """,
            "CREATE INDEX scan_sign_ins_by_browser ON scan_sign_ins (browser)",
            "CREATE INDEX scan_sign_ins_by_account ON scan_sign_ins (account_id, id) WHERE account_id IS NOT NULL",
            "CREATE INDEX scan_sign_ins_by_expiry ON scan_sign_ins (expires_at)",
        ],
        restoring: [
            "scan_sign_ins": .removed(by: "id")
        ])
}
