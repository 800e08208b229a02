extension FlowTables {
    /// Devices that wait for their holder, who decides on another one (RFC 8628), and clients that wait for a person whom they named
    /// (OpenID CIBA Core 1.0).
    static let deviceGrants = FlowTables(
        statements: [
            // `device_code` is a digest, `user_code` a keyed one, since it could be guessed. `sealed` is what the device asked for and
            // from where, `grant_sealed` what the person approved. The codes work until `ends_at`; until `expires_at`, the device
            // hears what became of them. A client's request has no `user_code`: its `device_code` is of the `auth_req_id`, and its
            // `id` that of the transaction that the person signs.
            """
            CREATE TABLE device_grants (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                device_code BYTEA NOT NULL UNIQUE CHECK (length(device_code) = 32),
                user_code BYTEA UNIQUE CHECK (length(user_code) = 32),
                client_id TEXT NOT NULL,
                sealed BYTEA NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'denied', 'redeemed')),
                account_id BYTEA REFERENCES accounts (id),
                grant_sealed BYTEA,
                poll_interval BIGINT NOT NULL,
                polled_at BIGINT,
                created_at BIGINT NOT NULL,
                ends_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                CHECK ((state IN ('approved', 'redeemed')) = (grant_sealed IS NOT NULL)),
                CHECK ((state = 'waiting') = (account_id IS NULL))
            )
            """,
            "CREATE INDEX device_grants_by_account ON device_grants (account_id) WHERE account_id IS NOT NULL",
            "CREATE INDEX device_grants_by_expiry ON device_grants (expires_at)",
        ],
        restoring: ["device_grants": .removed(by: "id")])
}
