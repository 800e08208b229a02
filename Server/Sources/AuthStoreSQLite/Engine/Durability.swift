import AuthStore
import GRDB

/// What the writing connection was found to be set to: read back, not assumed.
struct Durability: Sendable, Equatable {
    let journalMode: String?
    let synchronous: Int?
    let foreignKeys: Int?

    /// Sets what durability needs and reads it back.
    ///
    /// After opening and not in `prepareDatabase`, because GRDB's pool sets `synchronous` to NORMAL after that, in
    /// silence; and outside of a transaction, because SQLite ignores the setting inside of one.
    static func establish(on pool: DatabasePool, _ options: SQLiteOptions) throws -> Durability {
        try pool.writeWithoutTransaction { database in
            var settings = [
                "synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "secure_delete = FAST",
                "wal_autocheckpoint = 0", "journal_size_limit = 67108864",
            ]
            if let limit = options.pageLimit { settings.append("max_page_count = \(limit)") }
            for setting in settings { _ = try Row.fetchAll(database, sql: "PRAGMA \(setting)") }
            return Durability(
                journalMode: try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                synchronous: try Int.fetchOne(database, sql: "PRAGMA synchronous"),
                foreignKeys: try Int.fetchOne(database, sql: "PRAGMA foreign_keys"))
        }
    }

    /// Refuses anything less than an acknowledged write on the disk.
    ///
    /// - Throws: ``StoreError`` with code `notDurable`, naming what was found.
    func verify() throws {
        guard journalMode == "wal" else {
            throw StoreError(.notDurable, "journal_mode is \(journalMode ?? "unknown"), not wal")
        }
        guard synchronous == 2 else {
            throw StoreError(.notDurable, "synchronous is \(synchronous.map(String.init) ?? "unknown"), not 2 (FULL)")
        }
        guard foreignKeys == 1 else {
            throw StoreError(.notDurable, "foreign_keys is \(foreignKeys.map(String.init) ?? "unknown"), not 1 (ON)")
        }
    }
}
