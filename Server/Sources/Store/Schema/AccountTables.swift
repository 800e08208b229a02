extension FlowTables {
    /// Brands, and their accounts.
    static let accounts = FlowTables(
        statements: [
            """
            CREATE TABLE brands (
                id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
                name TEXT NOT NULL,
                settings TEXT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            // `deactivated_by` is set while an account is deactivated, and `closed_over` if failures had closed it before another did.
            // `merged_into` refers to an account, and has no constraint that says so: rows are copied in the order of their ids.
            // `AccountRecord` explains the columns.
            """
            CREATE TABLE accounts (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                brand_id TEXT NOT NULL REFERENCES brands (id),
                state TEXT NOT NULL CHECK (state IN ('active', 'deactivated', 'erased')),
                security_version BIGINT NOT NULL CHECK (security_version >= 1),
                password BYTEA,
                password_state TEXT NOT NULL CHECK (password_state IN ('none', 'current', 'expired')),
                password_changed_at BIGINT,
                email BYTEA,
                email_state TEXT NOT NULL CHECK (email_state IN ('none', 'unverified', 'verified')),
                phone BYTEA,
                profile BYTEA,
                locale TEXT,
                created_at BIGINT NOT NULL,
                last_login_at BIGINT,
                deactivated_by TEXT CHECK (deactivated_by IN ('failures', 'holder', 'operator', 'directory', 'imported')),
                cooling_until BIGINT,
                password_checked_at BIGINT,
                devices_distrusted_at BIGINT,
                merged_into BYTEA CHECK (length(merged_into) = 16),
                attempts_version BIGINT NOT NULL DEFAULT 1 CHECK (attempts_version >= 1),
                closed_over TEXT CHECK (closed_over = 'failures'),
                CHECK ((password IS NULL) = (password_state = 'none')),
                CHECK ((password IS NULL) = (password_changed_at IS NULL)),
                CHECK ((email IS NULL) = (email_state = 'none')),
                CHECK (state <> 'erased' OR (password IS NULL AND email IS NULL AND phone IS NULL AND profile IS NULL)),
                CHECK (merged_into IS NULL OR state = 'erased')
            )
            """,
            "CREATE INDEX accounts_by_merge ON accounts (merged_into) WHERE merged_into IS NOT NULL",
            // `typed` is how the person wrote the name, null if it is the mapped name.
            """
            CREATE TABLE account_names (
                brand_id TEXT NOT NULL REFERENCES brands (id),
                name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 320),
                account_id BYTEA NOT NULL REFERENCES accounts (id),
                typed TEXT,
                PRIMARY KEY (brand_id, name)
            )
            """,
            "CREATE INDEX account_names_by_account ON account_names (account_id)",
        ],
        restoring: [
            "brands": .leftToOperators,
            // The version leaps past all that the account has had since the copy, so that no code, cookie or link made
            // since becomes valid when the account reaches its version again. Password, addresses and state are the
            // copy's.
            "accounts": .ended(
                .update(
                    "accounts", by: "id",
                    set: "security_version = security_version + 4294967296, devices_distrusted_at = $3",
                    where: "state <> 'erased'")),
            "account_names": .kept(because: "they are the accounts'"),
        ])
}
