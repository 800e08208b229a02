package import AuthCore

/// The state of the engine's write-ahead log, which has the acknowledged writes that are not in the database file yet.
package struct WriteAheadLog: Sendable, Hashable {
    /// The bytes that a restart would read.
    package var bytes: Int64
    /// When the whole log was last copied into the database file.
    package var lastWholeCheckpoint: Timestamp
    /// Failures since the engine was opened.
    package var failedCheckpoints: Int64
    /// Why the last checkpoint failed; `nil` if it succeeded.
    package var failure: String?
    /// Whether writes are refused because the log has reached its limit.
    package var refusesWrites: Bool

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
