import Foundation
import GRDB
package import Store

/// The embedded engine: one SQLite file, owned by one process.
///
/// Guarantees:
/// - An acknowledged write has reached the disk: write-ahead log, `synchronous=FULL`, group commit. The engine refuses
///   to open a database without these settings.
/// - A file that was deleted or replaced while it is open gets no further writes (``OpenFiles``).
/// - There is one owner at a time, in this process and on this machine. Network file systems are not supported.
/// - Cancelling a task does not interrupt a call that was handed over.
///
/// Settings of each connection:
/// - `journal_mode=WAL`: readers and the writer do not wait for each other.
/// - `synchronous=FULL`: each commit waits for the disk; `fullfsync` makes Apple's disks wait as well.
/// - `foreign_keys=ON`: the schema's constraints apply.
/// - `trusted_schema=OFF`, `cell_size_check=ON`: a manipulated schema can use neither functions with side effects nor
///   unsafe virtual tables, and malformed pages are noticed. Triggers of a manipulated file would still run, so
///   ``restore(_:from:)`` and ``check()`` report what the program's migrations do not define (``Definitions``).
/// - `secure_delete=FAST`: deleted data is overwritten if that needs no further write.
/// - `wal_autocheckpoint=0`: the engine copies the log itself and checks the result; `journal_size_limit` shrinks the
///   log's file, so that it does not keep its largest size.
/// - `cache_size`: up to 8 MiB for each connection, allocated as needed. Other pages are in the system's cache, a
///   microsecond away, and shared.
package final class SQLiteDatabase: Store.Database {
    let path: String
    let durability: Durability
    private let engine: Engine

    private init(path: String, durability: Durability, engine: Engine) {
        self.path = path
        self.durability = durability
        self.engine = engine
    }

    /// Opens a database file, or creates it, readable only for its owner. It does not migrate.
    /// - Parameter path: the file's path; its folder must exist.
    /// - Throws: ``StoreError``: `owned` if another process has it open, `notDurable` if SQLite refuses a setting for
    ///   durability, `damaged` if it is not a database, `full` if the disk has no space, `diskFailed` if the existing
    ///   log cannot be copied, `file` if it cannot be opened.
    package static func open(path: String, options: SQLiteOptions = SQLiteOptions()) throws -> SQLiteDatabase {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // The lock comes first: without it, no file of the database may be touched.
        let lock = try OwnerLock(beside: resolved)
        try OtherOpeners.refuse(resolved)
        try PrivateFile.create(resolved, existing: .kept)
        // An interrupted restore leaves the copy that it had not put into place.
        PrivateFile.discardDatabase(resolved + ".restoring")
        try LeftLog.renew(beside: resolved)
        do {
            let pool = try DatabasePool(path: resolved, configuration: configuration(options))
            let durability = try Durability.establish(on: pool, options)
            try durability.verify()
            let files = try OpenFiles(of: resolved)
            let engine = try Engine(pool: pool, lock: lock, files: files, options: options)
            // The log exists by now. SQLite syncs its name to the disk but ignores the result.
            try PrivateFile.synchronizeFolder(of: resolved)
            engine.start()
            return SQLiteDatabase(path: resolved, durability: durability, engine: engine)
        } catch let error as DatabaseError {
            let named = StoreError(error)
            throw named.code == .damaged ? named : DiskSpace.shortage(at: resolved) ?? named
        }
    }

    deinit { engine.close() }

    package var log: WriteAheadLog { engine.log }

    /// See ``Store/Database/read(_:)``.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read(body)
    }

    /// See ``Store/Database/write(_:)``.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.write(body)
    }

    /// Whether the file has no tables, neither this program's nor those of another one.
    package func isEmpty() async throws -> Bool {
        try await read { connection in
            try connection.row("SELECT COUNT(*) AS number FROM sqlite_master", [])?.integer("number") == 0
        }
    }

    /// Serves the calls handed over, refuses later ones, and returns once the file is closed and free for another
    /// owner. Harmless to repeat.
    package func close() async {
        engine.close()
        await engine.closed()
    }

    /// No other process should hold a lock, except briefly a person with the sqlite3 shell.
    static let lockTimeout = Duration.seconds(5)

    private static func configuration(_ options: SQLiteOptions) -> GRDB.Configuration {
        var configuration = GRDB.Configuration.distrusting
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = options.readers
        configuration.persistentReadOnlyConnections = true
        // The engine begins and ends its transactions itself, and checks that none is left open.
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(lockTimeout / .seconds(1))
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -8192") }
        return configuration
    }
}
