import Foundation
import GRDB
package import Store

extension SQLiteDatabase {
    /// Replaces a database, which must not be open, with a copy made by ``backup(to:)``.
    ///
    /// The copy is examined first, and replaces the database in one step of the file system. Whenever the machine
    /// stops, there is either the former database or the restored one, complete.
    /// - Parameters:
    ///   - path: the database's path; there may be none yet.
    ///   - backup: the copy's path; the copy stays as it is.
    ///   - accept: reads the sound copy, and throws if it must not replace the database; nothing has been changed then.
    /// - Returns: the new name of the former database; `nil` if there was none.
    /// - Throws: ``StoreError``: `owned` if the database is open, `damaged` if the copy is not a sound database of this
    ///   program, `newerSchema` or `olderSchema` if this program cannot migrate it, `file` if a file cannot be read or
    ///   written.
    package static func restore(
        _ path: String, from backup: String, accept: (any SQLConnection) throws -> Void = { _ in }
    ) throws -> String? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let lock = try OwnerLock(beside: resolved)
        defer { lock.release() }
        try OtherOpeners.refuse(resolved)
        let incoming = resolved + ".restoring"
        PrivateFile.discardDatabase(incoming)
        try PrivateFile.create(incoming, existing: .refused)
        defer { PrivateFile.discardDatabase(incoming) }
        try PrivateFile.copy(backup, to: incoming)
        try examine(incoming)
        try open(incoming) { database in
            try database.inTransaction(.deferred) {
                try accept(SQLiteConnection(database))
                return .rollback
            }
        }
        try mark(incoming)
        let former = try freeName(beside: resolved)
        let isReplacement = FileManager.default.fileExists(atPath: resolved)
        if isReplacement { settle(resolved) }
        let kept = try keep(resolved, as: former)
        do {
            try removeJournals(of: resolved)
            try PrivateFile.rename(incoming, to: resolved)
        } catch {
            for suffix in kept where PrivateFile.journals.contains(suffix) {
                try? PrivateFile.publish(former + suffix, as: resolved + suffix)
            }
            throw error
        }
        return isReplacement ? former : nil
    }

    /// Reads the whole copy. A file that is not a database of this program counts as damaged, and so does one with
    /// definitions that are not this program's.
    private static func examine(_ path: String) throws {
        try open(path) { connection in
            // The definitions first: checking the pages evaluates expressions in them.
            try compareDefinitions(on: connection)
            let problems = try String.fetchAll(connection, sql: "PRAGMA integrity_check(1)").filter { $0 != "ok" }
            if let problem = problems.first { throw StoreError(.damaged, problem) }
        }
    }

    /// Opens a file for one body.
    private static func open(_ path: String, _ body: (GRDB.Database) throws -> Void) throws {
        do {
            let queue = try DatabaseQueue(path: path, configuration: .distrusting)
            try queue.writeWithoutTransaction(body)
            try queue.close()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    private static func compareDefinitions(on connection: GRDB.Database) throws {
        let found = try Definitions(of: connection)
        guard let version = try found.version(on: connection) else {
            throw StoreError(.damaged, "the copy is not a database of this program")
        }
        if let refusal = Schema.refusal(of: version, subject: "the copy") { throw refusal }
        if let difference = found.differences(from: try Definitions(ofMigrationsUpTo: version)).first {
            throw StoreError(.damaged, difference)
        }
    }

    /// Marks the copy, so that the next start applies the effects of a restore (``PendingRestore``).
    private static func mark(_ path: String) throws {
        try open(path) { connection in
            try connection.execute(sql: PendingRestore.marking)
            guard try Int.fetchOne(connection, sql: PendingRestore.counting) == 1 else {
                throw StoreError(.damaged, "the copy does not keep the mark of a restore")
            }
            _ = try Row.fetchAll(connection, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        for suffix in ["-wal", "-shm"] { PrivateFile.discard(path + suffix) }
        try PrivateFile.synchronize(path)
    }

    /// Writes the former database's journals into its file.
    private static func settle(_ path: String) {
        // A failure is no reason to stop: the database is being replaced because it is damaged. Its journals stay with it.
        try? open(path) { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// Gives the former database, if there is one, and the journals that are still there a second name. If that fails,
    /// they are as they were: a database without its journals has lost what was acknowledged last.
    /// - Returns: the suffixes of the files that have two names now.
    private static func keep(_ path: String, as former: String) throws -> [String] {
        var kept: [String] = []
        do {
            for suffix in [""] + PrivateFile.journals where FileManager.default.fileExists(atPath: path + suffix) {
                try PrivateFile.publish(path + suffix, as: former + suffix)
                kept.append(suffix)
            }
        } catch {
            for suffix in kept { PrivateFile.discard(former + suffix) }
            throw error
        }
        return kept
    }

    /// Takes the journals' first names from them, and waits for the disk: after a power cut they would be applied to the
    /// restored database.
    private static func removeJournals(of path: String) throws {
        for suffix in PrivateFile.journals + ["-shm"] { try PrivateFile.remove(path + suffix) }
        try PrivateFile.synchronizeFolder(of: path)
    }

    /// A name that neither a former database nor a journal of one has.
    private static func freeName(beside path: String) throws -> String {
        for number in 1...9999 {
            let name = "\(path).before-restore-\(number)"
            let names = [name] + PrivateFile.journals.map { name + $0 }
            if !names.contains(where: { FileManager.default.fileExists(atPath: $0) }) { return name }
        }
        throw StoreError(.file, "there are too many former databases next to \(path)")
    }
}
