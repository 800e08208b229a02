import AuthStore
import Foundation
import GRDB

extension SQLiteDatabase {
    /// Replaces a database, which must not be open, with a copy made by ``backup(to:)``.
    ///
    /// The copy is examined first, and replaces the database in one step of the file system. Whenever the machine
    /// stops, there is either the former database or the restored one, complete.
    /// - Parameters:
    ///   - path: the database's path; there may be none yet.
    ///   - backup: the copy's path; the copy stays as it is.
    /// - Returns: the new name of the former database; `nil` if there was none.
    /// - Throws: ``StoreError``: `owned` if the database is open, `damaged` if the copy is not a sound database of this
    ///   program, `newerSchema` or `olderSchema` if this program cannot migrate it, `file` if a file cannot be read or
    ///   written.
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

    /// Reads the whole copy. A file that is not a database of this program counts as damaged.
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
                    throw StoreError(.damaged, "the copy is not a database of this program")
                }
                return try Int64.fetchOne(connection, sql: "SELECT MAX(version) FROM schema_migrations") ?? 0
            }
            if let refusal = Schema.refusal(of: version, subject: "the copy") { throw refusal }
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// Marks the copy, so that the next start applies the effects of a restore (``PendingRestore``).
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

    /// Writes the former database's log into its file, so that the restored one does not find it and use it. If the
    /// database is too damaged for that, its log is renamed with it.
    private static func settle(_ path: String, logGoesTo formerLog: String) throws {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            _ = try queue.writeWithoutTransaction { try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        } catch is DatabaseError {
            // The database is being replaced because it is damaged.
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
