extension Migration {
    /// Whether renewals of a session need proof of a key. This is unknown for existing sessions of confidential
    /// clients, which continue without.
    package static let sessionProofs = Migration(
        version: 31, name: "session proofs",
        statements: [
            "ALTER TABLE sessions ADD COLUMN requires_proof BIGINT NOT NULL DEFAULT 0 CHECK (requires_proof IN (0, 1))"
        ])
}
