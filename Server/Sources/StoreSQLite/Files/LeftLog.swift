import Foundation
import Store

/// The write-ahead log of a process that ended without closing the database.
enum LeftLog {
    /// Copies the log into a new file that replaces it, and waits for the disk.
    ///
    /// The process may have ended because a sync of the log failed. The kernel may then regard pages as written that
    /// are not on the disk. SQLite would read them, append to them, and sync without them, so that the next power cut
    /// would lose everything after them. A new file has no such pages. If there is no space for one, each byte is
    /// overwritten with itself.
    /// - Throws: ``StoreError``: `full` if there is no space for that either; nothing has failed then, and the log is
    ///   unchanged. `diskFailed` for any other error.
    static func renew(beside database: String) throws {
        let log = database + "-wal"
        let renewed = log + ".renewed"
        // An interrupted start may have left its part.
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
