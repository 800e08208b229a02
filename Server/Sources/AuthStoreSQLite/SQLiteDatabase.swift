package import AuthStore
import Foundation
import GRDB

/// The embedded engine: one SQLite file, owned by one process.
///
/// Guarantees:
/// - An acknowledged write has reached the disk: write-ahead log, `synchronous=FULL`, group commit. The engine refuses to
///   open a database that would not give that.
/// - Exactly one opener at a time, in this process and on this machine. Not for network file systems.
/// - Cancelling a task interrupts nothing that was handed over.
///
/// What each connection is set to, and why:
/// - `journal_mode=WAL`: readers and the writer do not wait for each other.
/// - `synchronous=FULL`: each commit waits for the disk; `fullfsync` makes Apple's disks mean it as well.
/// - `foreign_keys=ON`, `trusted_schema=OFF`, `cell_size_check=ON`: the schema's constraints hold, and a file that
///   somebody prepared runs nothing and is not believed.
/// - `secure_delete=FAST`: what is deleted is overwritten where that needs no further write.
/// - `wal_autocheckpoint=0`: the engine copies the log back itself and looks at what came of it; `journal_size_limit` cuts its
///   file, so that it does not keep its greatest size.
/// - `cache_size`: 8 MiB for each connection at most, taken as needed. What is not in it is in the system's cache, a
///   microsecond away, and shared.
package final class SQLiteDatabase: AuthStore.Database {
    let path: String
    let durability: Durability
    private let engine: Engine

    private init(path: String, durability: Durability, engine: Engine) {
        self.path = path
        self.durability = durability
        self.engine = engine
    }

    /// Opens a database file, and makes it, readable for its owner alone, where there is none. Migrates nothing.
    ///
    /// - Parameters:
    ///   - path: the file's path; its folder must exist.
    ///   - options: how the engine works.
    /// - Throws: ``StoreError``: `owned` when another process has it open, `notDurable` when SQLite would not do what
    ///   durability needs, `damaged` when it is no database, `full` when the disk has no room, `diskFailed` when the log of
    ///   before cannot be copied, `file` when it cannot be opened.
    package static func open(path: String, options: SQLiteOptions = SQLiteOptions()) throws -> SQLiteDatabase {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // The lock comes first: until it is held, nothing of the database may be touched.
        let lock = try OwnerLock(beside: resolved)
        try OtherOpeners.refuse(resolved)
        try PrivateFile.create(resolved, existing: .kept)
        // A restore that was cut short leaves the copy that it had not put into its place.
        PrivateFile.discard(resolved + ".restoring")
        try LeftLog.renew(beside: resolved)
        do {
            let pool = try DatabasePool(path: resolved, configuration: configuration(options))
            let durability = try Durability.establish(on: pool, options)
            try durability.verify()
            let engine = try Engine(pool: pool, lock: lock, options: options)
            // The log was made by now. SQLite waits for its name to be on the disk, and does not look at what came of that.
            try PrivateFile.synchronizeFolder(of: resolved)
            engine.start()
            return SQLiteDatabase(path: resolved, durability: durability, engine: engine)
        } catch let error as DatabaseError {
            let named = StoreError(error)
            throw named.code == .damaged ? named : DiskSpace.shortage(at: resolved) ?? named
        }
    }

    deinit { engine.close() }

    /// The write-ahead log as it is now.
    package var log: WriteAheadLog { engine.log }

    /// Runs `body` on one consistent snapshot; see ``AuthStore/Database/read(_:)``.
    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read(body)
    }

    /// Runs `body` on the calling thread where a connection is free; see ``AuthStore/Database/lookUp(_:)``.
    package func lookUp<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.lookUp(body)
    }

    /// Runs `body` in a transaction that is on the disk when this returns; see ``AuthStore/Database/write(_:)``.
    package func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.write(body)
    }

    /// Serves what was handed over, refuses what comes later, and returns when the file is closed and free for another
    /// opener. Harmless to repeat.
    package func close() async {
        engine.close()
        await engine.closed()
    }

    private static func configuration(_ options: SQLiteOptions) -> GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = options.readers + options.lookUps
        configuration.persistentReadOnlyConnections = true
        // The engine opens and ends its transactions itself, and checks that none is left.
        configuration.allowsUnsafeTransactions = true
        // Nobody else should hold a lock; a person with the sqlite3 shell may, for a moment.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            for setting in ["trusted_schema = OFF", "cell_size_check = ON", "cache_size = -8192"] {
                try database.execute(sql: "PRAGMA \(setting)")
            }
        }
        return configuration
    }
}
