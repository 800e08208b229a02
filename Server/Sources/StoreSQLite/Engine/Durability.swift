import GRDB
import Store

/// The settings of the writing connection, as read back from SQLite.
struct Durability: Sendable, Equatable {
    let journalMode: String?
    let synchronous: Int?
    let foreignKeys: Int?

    /// Applies the settings for durability and reads them back.
    ///
    /// This happens after opening and not in `prepareDatabase`, because GRDB's pool silently sets `synchronous` to
    /// NORMAL after that; and outside of a transaction, because SQLite ignores the setting inside of one.
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

    /// Refuses settings under which an acknowledged write may not be on the disk.
    /// - Throws: ``StoreError`` with code `notDurable`, which names the setting found.
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
