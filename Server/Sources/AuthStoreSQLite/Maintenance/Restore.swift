import AuthStore
import Foundation
import GRDB

extension SQLiteDatabase {
    /// Puts a copy that ``backup(to:)`` made in the place of a database that nobody has open.
    ///
    /// The copy is examined before anything is touched, and takes the place in one step of the file system: whenever the
    /// machine stops, there is either the former database or the restored one, whole.
    ///
    /// - Parameters:
    ///   - path: the database's path; there may be none.
    ///   - backup: the copy's path; it stays as it is.
    /// - Returns: the name that the former database was given, `nil` where there was none.
    /// - Throws: ``StoreError``: `owned` when somebody has the database open, `damaged` when the copy is no sound
    ///   database of this program, `file` when a file cannot be read or written.
    package static func restore(_ path: String, from backup: String) throws -> String? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let lock = try OwnerLock(beside: resolved)
        defer { lock.release() }
        try OtherOpeners.refuse(resolved)
        let incoming = resolved + ".restoring"
        PrivateFile.discard(incoming)
        try PrivateFile.create(incoming, existing: .refused)
        defer { PrivateFile.discard(incoming) }
        try PrivateFile.copy(backup, to: incoming)
        try examine(incoming)
        try mark(incoming)
        guard FileManager.default.fileExists(atPath: resolved) else {
            try PrivateFile.rename(incoming, to: resolved)
            return nil
        }
        let former = try freeName(beside: resolved)
        try settle(resolved, logGoesTo: former + "-wal")
        try PrivateFile.publish(resolved, as: former)
        try PrivateFile.rename(incoming, to: resolved)
        return former
    }

    /// Reads the whole copy; a file that is no database of this program is as good as damaged.
    private static func examine(_ path: String) throws {
        do {
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            let version = try queue.inDatabase { connection in
                let problems = try String.fetchAll(connection, sql: "PRAGMA integrity_check(1)").filter { $0 != "ok" }
                if let problem = problems.first { throw StoreError(.damaged, problem) }
                guard try connection.tableExists("schema_migrations") else {
                    throw StoreError(.damaged, "the copy is no database of this program")
                }
                return try Int64.fetchOne(connection, sql: "SELECT MAX(version) FROM schema_migrations") ?? 0
            }
            let newest = Schema.migrations.last?.version ?? 0
            guard version <= newest else {
                throw StoreError(.newerSchema, "the copy has schema \(version), this program knows up to \(newest)")
            }
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// Says in the copy that it is one: the next start does to it what a restore does (``PendingRestore``).
    private static func mark(_ path: String) throws {
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { connection in
                try connection.execute(sql: PendingRestore.marking)
                _ = try Row.fetchAll(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            }
            try queue.close()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
        for suffix in ["-wal", "-shm"] { PrivateFile.discard(path + suffix) }
        try PrivateFile.synchronize(path)
    }

    /// Writes the log of the former database into its file, so that no log is left which the restored one would take for
    /// its own. A database too damaged for that gives its log away with it.
    private static func settle(_ path: String, logGoesTo formerLog: String) throws {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            _ = try queue.writeWithoutTransaction { try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        } catch is DatabaseError {
            // It is being replaced because something is wrong with it.
        }
        let log = path + "-wal"
        if FileManager.default.fileExists(atPath: log) {
            try PrivateFile.publish(log, as: formerLog)
            PrivateFile.discard(log)
        }
        PrivateFile.discard(path + "-shm")
    }

    private static func freeName(beside path: String) throws -> String {
        for number in 1...9999 where !FileManager.default.fileExists(atPath: "\(path).before-restore-\(number)") {
            return "\(path).before-restore-\(number)"
        }
        throw StoreError(.file, "there are too many former databases next to \(path)")
    }
}
