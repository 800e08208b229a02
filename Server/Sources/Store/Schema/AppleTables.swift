extension FlowTables {
    /// Sign in with Apple: the tokens from sign-ins, the notifications handled, and the people an app's transfer takes
    /// along.
    static let apple = FlowTables(
        statements: [
            // One row for each identity. `sealed` has the refresh tokens, one for each app, which are checked from `check_at` on.
            // Unlinking the identity sets the link to null; the row stays until Apple has revoked them, from `revoke_at` on:
            // 0 means at once.
            """
            CREATE TABLE apple_grants (
                brand_id TEXT NOT NULL,
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                linked_brand TEXT,
                linked_digest BYTEA,
                provider_id TEXT NOT NULL,
                sealed BYTEA,
                verified_at BIGINT NOT NULL,
                check_at BIGINT NOT NULL,
                revoke_at BIGINT NOT NULL,
                attempts BIGINT NOT NULL,
                suspended_at BIGINT,
                address_reachable BIGINT CHECK (address_reachable IN (0, 1)),
                address_changed_at BIGINT,
                PRIMARY KEY (brand_id, digest),
                CHECK ((linked_brand IS NULL) = (linked_digest IS NULL)),
                CHECK ((address_reachable IS NULL) = (address_changed_at IS NULL)),
                FOREIGN KEY (linked_brand, linked_digest) REFERENCES federated_identities (brand_id, digest)
                    ON DELETE SET NULL
            )
            """,
            "CREATE INDEX apple_grants_by_link ON apple_grants (linked_brand, linked_digest)",
            "CREATE INDEX apple_grants_to_revoke ON apple_grants (revoke_at) WHERE linked_digest IS NULL",
            """
            CREATE INDEX apple_grants_to_check ON apple_grants (check_at)
                WHERE linked_digest IS NOT NULL AND sealed IS NOT NULL
            """,
            "CREATE INDEX apple_grants_by_digest ON apple_grants (digest)",
            """
            CREATE TABLE apple_notifications (
                digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX apple_notifications_by_expiry ON apple_notifications (expires_at)",
            // The identity is deleted with its account, and its expected transfer with the identity. Transfers to
            // several teams can be prepared. A null team means that the person still has to be asked about. `transfer` is the
            // digest of Apple's transfer identifier, with the brand and the team.
            """
            CREATE TABLE apple_transfers (
                transfer BYTEA NOT NULL PRIMARY KEY CHECK (length(transfer) = 32),
                brand_id TEXT NOT NULL,
                digest BYTEA NOT NULL CHECK (length(digest) = 32),
                expires_at BIGINT NOT NULL,
                team TEXT,
                FOREIGN KEY (brand_id, digest) REFERENCES federated_identities (brand_id, digest) ON DELETE CASCADE
            )
            """,
            "CREATE INDEX apple_transfers_by_identity ON apple_transfers (brand_id, digest)",
            "CREATE INDEX apple_transfers_by_expiry ON apple_transfers (expires_at)",
        ],
        restoring: [
            "apple_grants": .kept(
                because:
                    "a token that was revoked since is revoked again without harm, and one that is dead is found at the next check"
            ),
            "apple_notifications": .kept(
                because:
                    "one that was taken since is not among them, and what it changed is missing from the copy too"
            ),
            "apple_transfers": .kept(
                because: "Apple made them for the links of the copy, and makes them again the same"),
        ])
}
