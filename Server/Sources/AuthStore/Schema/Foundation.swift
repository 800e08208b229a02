extension Migration {
    /// Accounts, clients, sessions, and the tables of signing in.
    ///
    /// Every table can be reached by account or session, so that the schema can be partitioned by account. Times are
    /// milliseconds since 1970. The caller seals personal data and secrets.
    package static let foundation = Migration(
        version: 1, name: "foundation",
        statements: accountTables + clientTables + sessionTables + loginTables + keyTables + operationTables,
        restoring: [
            "brands": .kept(because: ofOperators),
            // The version leaps past all that the account has had since the copy, so that no code, cookie or link made
            // since becomes valid when the account reaches its version again. Password, addresses and state are the
            // copy's.
            "accounts": .ended(
                .update(
                    "accounts", by: "id", set: "security_version = security_version + 4294967296, strangers_since = $3",
                    where: "state <> 'erased'")),
            "account_names": .kept(because: "they are the accounts'"),
            "clients": .kept(because: ofOperators),
            "merchants": .kept(because: ofOperators),
            "merchant_clients": .kept(because: ofOperators),
            "merchant_employees": .kept(because: ofOperators),
            "sessions": .ended(
                .update(
                    "sessions", by: "id", set: "revoked_at = $3, revoked_reason = 'administrator'",
                    where: "revoked_at IS NULL")),
            "redeemed_codes": .kept(because: "codes from before a restore do not open"),
            "stored_codes": .removed(by: "id"),
            "seen_jtis": .kept(
                because:
                    "what it misses does not open: challenges are sealed for the time between two restores, and client assertions tell when they were made"
            ),
            "attempts": .kept(because: "failures that it misses are forgotten within a day anyway"),
            "browser_sessions": .removed(by: "id_hash"),
            "data_keys": .kept(because: "everything that is sealed needs them"),
            "signing_keys": .kept(because: "\(ofOperators); they are rotated where one was withdrawn"),
            "outbox": .kept(because: "a message that waited in the copy comes twice at most"),
            "security_events": .kept(because: "the audit log goes on with a break"),
            "meta": .kept(because: "the epoch is written last"),
        ])

    private static let ofOperators = "an operator changes them, and looks through them after a restore"

    private static let accountTables = [
        """
        CREATE TABLE brands (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
            name TEXT NOT NULL,
            settings TEXT NOT NULL,
            created_at BIGINT NOT NULL
        )
        """,
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
            CHECK ((password IS NULL) = (password_state = 'none')),
            CHECK ((password IS NULL) = (password_changed_at IS NULL)),
            CHECK ((email IS NULL) = (email_state = 'none')),
            CHECK (state <> 'erased' OR (password IS NULL AND email IS NULL AND phone IS NULL AND profile IS NULL))
        )
        """,
        """
        CREATE TABLE account_names (
            brand_id TEXT NOT NULL REFERENCES brands (id),
            name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 320),
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            PRIMARY KEY (brand_id, name)
        )
        """,
        "CREATE INDEX account_names_by_account ON account_names (account_id)",
    ]

    private static let clientTables = [
        """
        CREATE TABLE clients (
            id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 255),
            brand_id TEXT REFERENCES brands (id),
            name TEXT NOT NULL,
            kind TEXT NOT NULL CHECK (kind IN ('public', 'confidential')),
            auth_method TEXT NOT NULL
                CHECK (auth_method IN ('none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt')),
            secret_hash BYTEA,
            jwks TEXT,
            redirect_uris TEXT NOT NULL,
            scopes TEXT NOT NULL,
            settings TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('active', 'deleted')),
            created_at BIGINT NOT NULL,
            updated_at BIGINT NOT NULL,
            CHECK ((kind = 'public') = (auth_method = 'none')),
            CHECK ((secret_hash IS NOT NULL) = (auth_method IN ('client_secret_basic', 'client_secret_post')))
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
        """
        CREATE TABLE merchant_employees (
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            merchant_id TEXT NOT NULL REFERENCES merchants (id),
            created_at BIGINT NOT NULL,
            PRIMARY KEY (account_id, merchant_id)
        )
        """,
        "CREATE INDEX merchant_employees_by_merchant ON merchant_employees (merchant_id, account_id)",
    ]

    // A session has one row, and tokens have none: a refresh changes the row in place, and no indexed column, so that
    // it writes one page. For that reason there is no index on expires_at; the sweep walks the time-ordered ids.
    private static let sessionTables = [
        """
        CREATE TABLE sessions (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            client_id TEXT NOT NULL REFERENCES clients (id),
            granted_to TEXT REFERENCES clients (id),
            dpop_jkt BYTEA CHECK (length(dpop_jkt) = 32),
            secret BYTEA NOT NULL CHECK (length(secret) = 16),
            mac_key_id BIGINT NOT NULL,
            generation BIGINT NOT NULL CHECK (generation >= 0),
            rotated_at BIGINT NOT NULL,
            attempt_hash BYTEA CHECK (length(attempt_hash) = 32),
            scope TEXT NOT NULL,
            audience TEXT NOT NULL,
            acr TEXT,
            amr TEXT NOT NULL,
            auth_time BIGINT NOT NULL,
            security_version BIGINT NOT NULL,
            merchant_id TEXT REFERENCES merchants (id),
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            absolute_expires_at BIGINT NOT NULL,
            revoked_at BIGINT,
            revoked_reason TEXT,
            CHECK (expires_at <= absolute_expires_at),
            CHECK ((revoked_at IS NULL) = (revoked_reason IS NULL))
        )
        """,
        "CREATE INDEX sessions_by_account ON sessions (account_id)",
        """
        CREATE TABLE redeemed_codes (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
            session_id BYTEA NOT NULL CHECK (length(session_id) = 16),
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX redeemed_codes_by_expiry ON redeemed_codes (expires_at)",
        """
        CREATE TABLE stored_codes (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 16 AND 32),
            sealed BYTEA NOT NULL CHECK (length(sealed) <= 65536),
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX stored_codes_by_expiry ON stored_codes (expires_at)",
        """
        CREATE TABLE seen_jtis (
            digest BYTEA NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX seen_jtis_by_expiry ON seen_jtis (expires_at)",
    ]

    private static let loginTables = [
        """
        CREATE TABLE attempts (
            subject BYTEA NOT NULL PRIMARY KEY CHECK (length(subject) BETWEEN 16 AND 32),
            tries BIGINT NOT NULL,
            failures BIGINT NOT NULL CHECK (failures >= 0),
            compared BIGINT NOT NULL CHECK (compared IN (0, 1)),
            last_at BIGINT NOT NULL,
            next_allowed_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX attempts_by_expiry ON attempts (expires_at)",
        """
        CREATE TABLE browser_sessions (
            id_hash BYTEA NOT NULL PRIMARY KEY CHECK (length(id_hash) = 32),
            account_id BYTEA NOT NULL REFERENCES accounts (id),
            security_version BIGINT NOT NULL,
            auth_time BIGINT NOT NULL,
            acr TEXT,
            amr TEXT NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL
        )
        """,
        "CREATE INDEX browser_sessions_by_account ON browser_sessions (account_id)",
        "CREATE INDEX browser_sessions_by_expiry ON browser_sessions (expires_at)",
    ]

    private static let keyTables = [
        """
        CREATE TABLE data_keys (
            purpose TEXT NOT NULL CHECK (length(purpose) BETWEEN 1 AND 64),
            kid BIGINT NOT NULL CHECK (kid >= 1),
            wrapped BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            retired_at BIGINT,
            PRIMARY KEY (purpose, kid)
        )
        """,
        """
        CREATE TABLE signing_keys (
            kid TEXT NOT NULL PRIMARY KEY CHECK (length(kid) BETWEEN 1 AND 128),
            algorithm TEXT NOT NULL CHECK (algorithm IN ('ES256', 'RS256', 'EdDSA')),
            state TEXT NOT NULL CHECK (state IN ('next', 'active', 'retired')),
            sealed_private BYTEA,
            public_jwk TEXT NOT NULL,
            published_at BIGINT NOT NULL,
            activated_at BIGINT,
            retired_at BIGINT,
            removed_at BIGINT,
            CHECK (state = 'retired' OR sealed_private IS NOT NULL),
            CHECK ((state = 'next') = (activated_at IS NULL)),
            CHECK ((state = 'retired') = (retired_at IS NOT NULL))
        )
        """,
        "CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (algorithm) WHERE state = 'active'",
        "CREATE UNIQUE INDEX signing_keys_one_next ON signing_keys (algorithm) WHERE state = 'next'",
    ]

    private static let operationTables = [
        """
        CREATE TABLE outbox (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
            account_id BYTEA,
            kind TEXT NOT NULL,
            sealed BYTEA NOT NULL,
            created_at BIGINT NOT NULL,
            attempts BIGINT NOT NULL,
            due_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            delivered_at BIGINT
        )
        """,
        "CREATE INDEX outbox_by_due ON outbox (due_at) WHERE delivered_at IS NULL",
        "CREATE INDEX outbox_by_expiry ON outbox (expires_at)",
        "CREATE INDEX outbox_by_account ON outbox (account_id)",
        """
        CREATE TABLE security_events (
            id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
            account_id BYTEA,
            client_id TEXT,
            kind TEXT NOT NULL,
            occurred_at BIGINT NOT NULL,
            details TEXT NOT NULL
        )
        """,
        "CREATE INDEX security_events_by_account ON security_events (account_id, id)",
        """
        CREATE TABLE meta (
            name TEXT NOT NULL PRIMARY KEY,
            value TEXT NOT NULL
        )
        """,
    ]
}
