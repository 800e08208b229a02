import Foundation
import GRDB
import GRDBSQLite
import Store

/// Implements the port on one of GRDB's connections. Each batch of bodies gets a new instance.
///
/// GRDB opens, configures and closes the connection and keeps its prepared statements. Binding and stepping call SQLite
/// directly, because GRDB binds `$1` only from a dictionary and creates a row object for each result
/// (docs/decisions/0001-sqlite-through-grdb.md has measurements).
final class SQLiteConnection: SQLConnection {
    private let database: GRDB.Database
    /// A sync failed on this connection, even if the body caught the error.
    private(set) var diskFailure: StoreError?

    init(_ database: GRDB.Database) {
        self.database = database
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let statement = try prepare(sql, accepting: .manipulation)
        let handle = statement.sqliteStatement
        defer { release(handle) }
        try bind(arguments, to: handle)
        var rows: [SQLRow] = []
        // Step to the end: a statement that is not finished has not committed its RETURNING rows.
        while try step(handle) {
            rows.append(SQLRow(columns: statement.columnNames, values: values(of: handle)))
        }
        return rows
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        let handle = try prepare(sql, accepting: .manipulation).sqliteStatement
        defer { release(handle) }
        try bind(arguments, to: handle)
        while try step(handle) {}
        // For a statement that only reads, SQLite would return the number of the one before.
        return sqlite3_stmt_readonly(handle) != 0 ? 0 : Int(sqlite3_changes64(database.sqliteConnection))
    }

    func define(_ sql: String) throws {
        let native = PortableDefinition.native(sql)
        let handle = try prepare(native, accepting: .definition).sqliteStatement
        defer { release(handle) }
        while try step(handle) {}
    }

    // MARK: The engine's own statements

    /// Whether a transaction is open. A full disk, an input/output error or an interrupt may have rolled it back.
    var isInsideTransaction: Bool { database.isInsideTransaction }

    /// Runs one of the engine's own statements, which bodies may not run.
    func control(_ statement: Control) throws {
        let handle = try prepare(statement.rawValue, accepting: .control).sqliteStatement
        defer { release(handle) }
        while try step(handle) {}
    }

    /// Runs a body on one snapshot. GRDB's own `read` prepares its two statements each time, which took as long as the
    /// queries.
    func onOneSnapshot(_ body: (SQLiteConnection) -> Void) throws {
        try control(.beginReading)
        body(self)
        // Nothing was written: after a failure, only the open transaction has to end.
        do { try control(.commit) } catch {
            try? control(.rollback)
            throw error
        }
    }

    /// The statements that begin, end and divide transactions.
    enum Control: String {
        case begin = "BEGIN IMMEDIATE"
        case beginReading = "BEGIN DEFERRED"
        case commit = "COMMIT"
        case rollback = "ROLLBACK"
        case savepoint = "SAVEPOINT body"
        case rollbackToSavepoint = "ROLLBACK TO body"
        case release = "RELEASE body"
    }

    // MARK: Checkpoints

    /// The state of the log after a checkpoint.
    struct Checkpoint {
        /// The pages in the log; `nil` if another process is copying it.
        let pages: Int?
        /// The pages that are in the database file now.
        let copied: Int
        /// Whether all was done that the mode asks for: a log that is copied whole is not started again while a reader uses it.
        let isComplete: Bool

        var isWhole: Bool { copied == pages }
    }

    /// Copies the log into the database file, as far as readers' snapshots permit, and waits for the disk once all is
    /// copied.
    /// - Parameters:
    ///   - mode: `SQLITE_CHECKPOINT_PASSIVE` waits for no reader; `SQLITE_CHECKPOINT_RESTART` also starts the log again;
    ///     `SQLITE_CHECKPOINT_TRUNCATE` also empties it.
    ///   - wait: how long to wait for readers of older snapshots.
    /// - Throws: ``StoreError``: `full` if there was no space for a page; `diskFailed` for any other error of the disk,
    ///   including a sync that found no space.
    func checkpoint(_ mode: CInt, waiting wait: Duration) throws -> Checkpoint {
        let connection = database.sqliteConnection
        var pages: CInt = -1
        var copied: CInt = -1
        var code: CInt
        // In short attempts: within one, SQLite waits for a lock that new readers may share with each other for good.
        sqlite3_busy_handler(
            connection,
            { _, attempts in
                guard attempts < 20 else { return 0 }
                usleep(500)
                return 1
            }, nil)
        let deadline = ContinuousClock.now + wait
        repeat {
            code = sqlite3_wal_checkpoint_v2(connection, "main", mode, &pages, &copied)
        } while code & 0xFF == SQLITE_BUSY && ContinuousClock.now < deadline
        sqlite3_busy_timeout(connection, CInt(SQLiteDatabase.lockTimeout / .milliseconds(1)))
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            let system = sqlite3_system_errno(database.sqliteConnection)
            let failure = failure(code)
            guard code & 0xFF == SQLITE_IOERR, failure.code != .full else { throw failure }
            let extended = ResultCode(rawValue: sqlite3_extended_errcode(database.sqliteConnection))
            let isWrite = extended == .SQLITE_IOERR_WRITE
            let reason = system == 0 ? "" : ": " + String(cString: strerror(system))
            throw StoreError(isWrite && system == EDQUOT ? .full : .diskFailed, failure.reason + reason)
        }
        return Checkpoint(pages: pages < 0 ? nil : Int(pages), copied: Int(copied), isComplete: code == SQLITE_OK)
    }

    /// Makes each commit of this connection store the log's number of pages.
    func watchLog(_ size: LogSize) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { size, _, _, pages in
                if let size { Unmanaged<LogSize>.fromOpaque(size).takeUnretainedValue().pages = Int(pages) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(size).toOpaque())
    }

    // MARK: Statements

    private func prepare(_ sql: String, accepting kind: StatementKind) throws -> GRDB.Statement {
        do {
            if kind != .control {
                guard StatementKind(of: sql) == kind else {
                    throw StoreError(.statement, "this statement is not allowed here: \(sql.prefix(40))")
                }
                // A body may catch the error of a full disk and go on. That error has ended the transaction, so each of
                // its statements would commit by itself.
                guard database.isInsideTransaction else {
                    throw StoreError(.unavailable, "SQLite rolled back the transaction while it ran")
                }
            }
            return try database.cachedStatement(sql: sql)
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// SQLite treats `$1` and `$2` as names and numbers them in order of appearance, so binding by position would swap
    /// the values of `$2, $1`.
    private func bind(_ arguments: [SQLValue], to handle: SQLiteStatement) throws {
        let count = sqlite3_bind_parameter_count(handle)
        var highest = 0
        for index in 1..<max(1, count + 1) {
            guard let name = sqlite3_bind_parameter_name(handle, index), name[0] == 0x24,
                case let number = Int(atol(name + 1)), number >= 1
            else { throw StoreError(.statement, "placeholder \(index) is not of the form $1") }
            guard number <= arguments.count else {
                throw StoreError(.statement, "no argument for $\(number) among \(arguments.count)")
            }
            highest = max(highest, number)
            let code = bind(arguments[number - 1], at: index, of: handle)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        guard highest == arguments.count else {
            throw StoreError(.statement, "\(arguments.count) arguments for placeholders up to $\(highest)")
        }
    }

    private func bind(_ value: SQLValue, at index: CInt, of handle: SQLiteStatement) -> CInt {
        switch value {
        case .null:
            return sqlite3_bind_null(handle, index)
        case .integer(let integer):
            return sqlite3_bind_int64(handle, index, integer)
        case .text(var text):
            return text.withUTF8 { buffer in
                // A null pointer would bind NULL, and the buffer of an empty string may be one.
                guard let start = buffer.baseAddress else { return sqlite3_bind_text(handle, index, "", 0, transient) }
                return start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                    sqlite3_bind_text(handle, index, $0, CInt(buffer.count), transient)
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { buffer in
                guard !buffer.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
                return sqlite3_bind_blob(handle, index, buffer.baseAddress, CInt(buffer.count), transient)
            }
        }
    }

    private func step(_ handle: SQLiteStatement) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    private func values(of handle: SQLiteStatement) -> [SQLValue] {
        let count = Int(sqlite3_column_count(handle))
        var values: [SQLValue] = []
        values.reserveCapacity(count)
        for column in 0..<CInt(count) {
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER:
                values.append(.integer(sqlite3_column_int64(handle, column)))
            case SQLITE_TEXT:
                let start = sqlite3_column_text(handle, column)
                let buffer = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
                values.append(.text(String(decoding: buffer, as: UTF8.self)))
            case SQLITE_BLOB:
                let start = sqlite3_column_blob(handle, column)
                let buffer = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
                values.append(.blob([UInt8](buffer)))
            case SQLITE_FLOAT:
                // STRICT tables have none. Only an expression could return one, and none of our statements does.
                values.append(.text(String(sqlite3_column_double(handle, column))))
            default:
                values.append(.null)
            }
        }
        return values
    }

    /// Resets a statement for its next use. The arguments are cleared, so that no secret outlives the statement.
    private func release(_ handle: SQLiteStatement) {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func failure(_ code: CInt) -> StoreError {
        let extended = sqlite3_extended_errcode(database.sqliteConnection)
        let message = String(cString: sqlite3_errmsg(database.sqliteConnection))
        let error = StoreError(sqlite: extended == SQLITE_OK ? code : extended, message)
        if error.code == .diskFailed { diskFailure = error }
        return error
    }

    /// Makes SQLite copy the arguments, which need not outlive the call.
    private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
