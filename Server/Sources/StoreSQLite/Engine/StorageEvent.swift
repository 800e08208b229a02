package import Store

package enum StorageEvent: Sendable, Hashable {
    /// The log could not be copied into the database file. Nothing is lost, and the engine tries again.
    case checkpointFailed(StoreError, WriteAheadLog)
    /// The whole log was copied, after failures.
    case checkpointRecovered(WriteAheadLog)
    /// The log has reached its limit. Writes are refused until it can be copied.
    case writesRefused(WriteAheadLog)
    /// The disk failed to keep data. Nothing is acknowledged from now on, and the log stays as it is; the next start
    /// reads it from its beginning. The program should exit at once, without closing anything.
    case diskFailed(StoreError)
}
