import AuthStore
import Foundation
import GRDB
import GRDBSQLite

/// The port's view of one of GRDB's connections, made anew for each batch of bodies.
///
/// GRDB opens, configures and closes the connection and keeps its prepared statements; binding and stepping go straight to
/// SQLite, because GRDB binds `$1` only from a dictionary and builds a row object for each answer
/// (docs/decisions/0001-sqlite-through-grdb.md has the figures).
final class SQLiteConnection: SQLConnection {
    private let database: GRDB.Database
    /// A sync failed on this connection, whatever the body made of that.
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
        // Stepping on to the end matters: a statement that is left half way has not committed its RETURNING rows.
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
        // For a statement that only reads, SQLite would go on telling the changes of the one before.
        return sqlite3_stmt_readonly(handle) != 0 ? 0 : Int(sqlite3_changes64(database.sqliteConnection))
    }

    func define(_ sql: String) throws {
        let native = PortableDefinition.native(sql)
        let handle = try prepare(native, accepting: .definition).sqliteStatement
        defer { release(handle) }
        while try step(handle) {}
    }

    // MARK: The engine's own statements

    /// Whether a transaction is open. A full disk, an input/output error or an interrupt may have rolled it back whole.
    var isInsideTransaction: Bool { database.isInsideTransaction }

    /// Runs one of the engine's own statements, which bodies may not run.
    func control(_ statement: Control) throws {
        let handle = try prepare(statement.rawValue, accepting: .control).sqliteStatement
        defer { release(handle) }
        while try step(handle) {}
    }

    /// Runs a body on one snapshot. GRDB's own `read` would do, but prepares its two statements anew each time: it took as long
    /// as what was read.
    func onOneSnapshot<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try control(.beginReading)
        let result = Result { try body(self) }
        // Nothing was written: what fails here has only to leave no transaction behind.
        do { try control(.commit) } catch {
            try? control(.rollback)
            throw error
        }
        return try result.get()
    }

    /// The statements that open, close and divide transactions.
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

    /// What a checkpoint left in the log.
    struct Checkpoint {
        /// Pages in the log; `nil` where another process copies it at this moment.
        let pages: Int?
        /// Those of them that are in the database file now.
        let copied: Int

        var isWhole: Bool { copied == pages }
    }

    /// Copies the log into the database file, as far as no reader needs an older snapshot, and waits for the disk where all of it
    /// was copied.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_PASSIVE` waits for no reader; `SQLITE_CHECKPOINT_TRUNCATE` also empties the log.
    /// - Throws: ``StoreError``: `full` where a page found no room, `diskFailed` for any other error of the disk: of a sync that
    ///   found no room, too.
    func checkpoint(_ mode: CInt) throws -> Checkpoint {
        var pages: CInt = -1
        var copied: CInt = -1
        let code = sqlite3_wal_checkpoint_v2(database.sqliteConnection, "main", mode, &pages, &copied)
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
            let system = sqlite3_system_errno(database.sqliteConnection)
            let failure = failure(code)
            guard code & 0xFF == SQLITE_IOERR, failure.code != .full else { throw failure }
            let isWrite = sqlite3_extended_errcode(database.sqliteConnection) == SQLITE_IOERR | (3 << 8)
            let reason = system == 0 ? "" : ": " + String(cString: strerror(system))
            throw StoreError(isWrite && system == EDQUOT ? .full : .diskFailed, failure.reason + reason)
        }
        return Checkpoint(pages: pages < 0 ? nil : Int(pages), copied: Int(copied))
    }

    /// Has each commit of this connection tell how many pages the log has then.
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
                    throw StoreError(.statement, "not a statement for this place: \(sql.prefix(40))")
                }
                // A body may catch the error of a full disk and go on; outside of the transaction, which that error has
                // ended, each of its statements would commit by itself.
                guard database.isInsideTransaction else {
                    throw StoreError(.unavailable, "SQLite rolled the transaction back under the body")
                }
            }
            return try database.cachedStatement(sql: sql)
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// SQLite's placeholders `$1`, `$2` are names, numbered in order of appearance: binding by position would swap the
    /// values of `$2, $1`.
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
                // A null pointer would bind NULL, and the buffer of an empty text may be one.
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
                // STRICT tables hold none; only an expression could yield one, and no statement of ours should.
                values.append(.text(String(sqlite3_column_double(handle, column))))
            default:
                values.append(.null)
            }
        }
        return values
    }

    /// Makes a statement ready for its next use. The arguments are dropped, so that no secret outlives its statement.
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

    /// Has SQLite copy what is bound: the arguments need not outlive the call.
    private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
