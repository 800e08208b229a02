extension Migration {
    /// Facts about identities at providers: the name that a password was entered for, as a keyed digest, and whether
    /// the provider asserts the account's own address. The latter is assumed until a sign-in shows otherwise.
    package static let federationMemory = Migration(
        version: 11, name: "federation memory",
        statements: [
            "ALTER TABLE federated_identities ADD COLUMN name_digest BYTEA CHECK (length(name_digest) = 32)",
            """
            ALTER TABLE federated_identities ADD COLUMN tells_address BIGINT NOT NULL DEFAULT 1
                CHECK (tells_address IN (0, 1))
            """,
            "CREATE INDEX federated_identities_by_name ON federated_identities (brand_id, name_digest)",
        ])
}
