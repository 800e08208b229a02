extension Migration {
    /// Counts attempts by outcome: a reservation is a failure only after its secret was compared and found wrong.
    package static let attemptOutcomes = Migration(
        version: 24, name: "attempt outcomes",
        statements: [
            // Existing rows count every reservation as a failure and stay so, which is the safe reading.
            "ALTER TABLE attempts ADD COLUMN pending BIGINT NOT NULL DEFAULT 0 CHECK (pending >= 0)",
            "ALTER TABLE attempts ADD COLUMN lost BIGINT NOT NULL DEFAULT 0 CHECK (lost >= 0)",
            // Every start looks for pending attempts. There are only those under comparison when the process ended.
            "CREATE INDEX attempts_pending ON attempts (subject) WHERE pending > 0",
        ])
}
