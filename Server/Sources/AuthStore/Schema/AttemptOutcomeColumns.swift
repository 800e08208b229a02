extension Migration {
    /// Attempts counted by their outcome: a reservation is a failure only once its secret was compared and wrong.
    package static let attemptOutcomes = Migration(
        version: 24, name: "attempt outcomes",
        statements: [
            // Rows from before this count every reservation as a failure, and stay as they are: the safe reading.
            "ALTER TABLE attempts ADD COLUMN pending BIGINT NOT NULL DEFAULT 0 CHECK (pending >= 0)",
            "ALTER TABLE attempts ADD COLUMN lost BIGINT NOT NULL DEFAULT 0 CHECK (lost >= 0)",
            // Every start looks for the pending ones; there are as many as were compared when the process ended.
            "CREATE INDEX attempts_pending ON attempts (subject) WHERE pending > 0",
        ])
}
