extension Migration {
    /// The steps of a wallet operation, as later evidence (RTS article 29).
    package static let evidence = Migration(
        version: 17, name: "evidence",
        statements: [
            // Personal data is in a sealed column of its own, because it is deleted when the account is erased.
            """
            CREATE TABLE sca_steps (
                event_id BYTEA NOT NULL REFERENCES wallet_operations (event_id),
                number BIGINT NOT NULL CHECK (number >= 1),
                kind TEXT NOT NULL,
                facts TEXT NOT NULL,
                circumstances BYTEA,
                chain BIGINT,
                seq BIGINT,
                link BYTEA,
                at BIGINT NOT NULL,
                PRIMARY KEY (event_id, number),
                CHECK ((chain IS NULL) = (seq IS NULL)),
                CHECK ((chain IS NULL) = (link IS NULL))
            )
            """,
            "ALTER TABLE sca_attempts ADD COLUMN circumstances BYTEA",
        ],
        restoring: [
            "sca_steps": .kept(because: "they prove what was agreed to; what is taken back gets a further step")
        ])
}
