package import AuthCore

/// The engine's write-ahead log: what was acknowledged and is not in the database file yet.
package struct WriteAheadLog: Sendable, Hashable {
    /// Bytes that a restart would read.
    package var bytes: Int64
    /// When the whole log was last copied into the database file.
    package var lastWholeCheckpoint: Timestamp
    /// Checkpoints that failed since the engine was opened.
    package var failedCheckpoints: Int64
    /// Why the last checkpoint failed; `nil` where it did not.
    package var failure: String?
    /// Whether writes are refused, because the log has reached its limit.
    package var refusesWrites: Bool

    /// Each parameter is the property of its name.
    package init(
        bytes: Int64, lastWholeCheckpoint: Timestamp, failedCheckpoints: Int64 = 0, failure: String? = nil,
        refusesWrites: Bool = false
    ) {
        self.bytes = bytes
        self.lastWholeCheckpoint = lastWholeCheckpoint
        self.failedCheckpoints = failedCheckpoints
        self.failure = failure
        self.refusesWrites = refusesWrites
    }
}
