package import AuthStore

/// An event between the engine and its disk.
package enum StorageEvent: Sendable, Hashable {
    /// The log could not be copied into the database file. Nothing is lost; it is tried again.
    case checkpointFailed(StoreError, WriteAheadLog)
    /// The log was copied whole, after failures.
    case checkpointRecovered(WriteAheadLog)
    /// The log has reached its limit, so writes are refused until it can be copied.
    case writesRefused(WriteAheadLog)
    /// The disk failed to keep what it was given. Nothing is acknowledged from here on, and the log is left as it is: the next
    /// start reads it from its beginning. A program should end at once, without closing anything.
    case diskFailed(StoreError)
}
