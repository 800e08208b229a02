import GRDB
import Store

extension StoreError {
    /// - Parameters:
    ///   - code: an extended result code.
    ///   - message: SQLite's message, which names tables and columns but no values.
    init(sqlite code: CInt, _ message: String) {
        let reason = "\(message) (SQLite \(code))"
        // GRDB matches a primary code with all its extended codes. These therefore come first.
        switch ResultCode(rawValue: code) {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            self.init(.conflict, reason)
        // After a failed sync, the kernel regards the pages as written, so that the next sync of the file succeeds
        // without them.
        case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: self.init(.diskFailed, reason)
        // The second: no space for the index of the log.
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE: self.init(.full, reason)
        case .SQLITE_CONSTRAINT: self.init(.constraint, reason)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self.init(.damaged, reason)
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH: self.init(.file, reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_INTERRUPT, .SQLITE_PROTOCOL,
            .SQLITE_NOLFS:
            self.init(.unavailable, reason)
        default: self.init(.statement, reason)
        }
    }

    /// Leaves out the statement's arguments, which GRDB's description may contain.
    init(_ error: DatabaseError) {
        self.init(sqlite: error.extendedResultCode.rawValue, error.message ?? "no message")
    }
}
