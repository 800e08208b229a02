import AuthStore
import GRDB
import GRDBSQLite

extension StoreError {
    /// - Parameters:
    ///   - code: an extended result code.
    ///   - message: SQLite's message, which names tables and columns but no values.
    init(sqlite code: CInt, _ message: String) {
        let reason = "\(message) (SQLite \(code))"
        switch code {
        case SQLITE_CONSTRAINT | (8 << 8), SQLITE_CONSTRAINT | (6 << 8), SQLITE_CONSTRAINT | (10 << 8):
            // SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID: macros that do not cross into Swift.
            self.init(.conflict, reason)
            return
        case SQLITE_IOERR | (4 << 8), SQLITE_IOERR | (5 << 8):
            // SQLITE_IOERR_FSYNC and _DIR_FSYNC. After a failed sync, the kernel regards the pages as written, so that
            // the next sync of the file succeeds without them.
            self.init(.diskFailed, reason)
            return
        case SQLITE_IOERR | (19 << 8):
            // SQLITE_IOERR_SHMSIZE: no space for the index of the log.
            self.init(.full, reason)
            return
        default:
            break
        }
        switch code & 0xFF {
        case SQLITE_FULL: self.init(.full, reason)
        case SQLITE_CONSTRAINT: self.init(.constraint, reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB: self.init(.damaged, reason)
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: self.init(.file, reason)
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_INTERRUPT, SQLITE_PROTOCOL, SQLITE_NOLFS:
            self.init(.unavailable, reason)
        default: self.init(.statement, reason)
        }
    }

    /// Leaves out the statement's arguments, which GRDB's description may contain.
    init(_ error: DatabaseError) {
        self.init(sqlite: error.extendedResultCode.rawValue, error.message ?? "no message")
    }
}
