import AuthStore
import Foundation

/// The write-ahead log that a process left when it ended without closing the database.
enum LeftLog {
    /// Writes the log into a new file that takes its place, and waits for the disk.
    ///
    /// A process may have ended because a sync of the log failed. The kernel then holds pages for written that are not on the
    /// disk: SQLite would read them, go on behind them, and sync without them, so the next power cut would take all that
    /// followed. A new file has no such past. Where there is no room for one, each byte is written over itself.
    ///
    /// - Throws: ``StoreError`` with code `full` where there is no room for that either, and nothing has failed: the log is as it
    ///   was. With code `diskFailed` for any other error.
    static func renew(beside database: String) throws {
        let log = database + "-wal"
        let renewed = log + ".renewed"
        // A start that was cut short has left its part.
        PrivateFile.discard(renewed)
        do {
            guard try PrivateFile.size(of: log) > 0 else { return }
            defer { PrivateFile.discard(renewed) }
            do {
                try PrivateFile.create(renewed, existing: .refused)
                try PrivateFile.copy(log, to: renewed)
            } catch let error as StoreError where error.code == .full {
                PrivateFile.discard(renewed)
                try PrivateFile.rewrite(log)
                return
            }
            try PrivateFile.rename(renewed, to: log)
        } catch let error as StoreError where error.code != .full {
            throw StoreError(.diskFailed, error.reason)
        }
    }
}
