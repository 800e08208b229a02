extension FlowTables {
    /// The keys that seal and sign.
    static let keys = FlowTables(
        statements: [
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
        ],
        restoring: [
            "data_keys": .kept(because: "everything that is sealed needs them"),
            "signing_keys": .kept(
                because:
                    "an operator changes them, and looks through them after a restore; they are rotated where one was withdrawn"
            ),
        ])
}
