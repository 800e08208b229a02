extension Migration {
    /// Whether a session's renewals need a proof of a key. Of confidential clients' sessions from before it is not known, and they go
    /// on without.
    package static let sessionProofs = Migration(
        version: 31, name: "session proofs",
        statements: [
            "ALTER TABLE sessions ADD COLUMN requires_proof BIGINT NOT NULL DEFAULT 0 CHECK (requires_proof IN (0, 1))"
        ])
}
