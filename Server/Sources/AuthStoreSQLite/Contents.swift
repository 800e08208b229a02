import AuthStore

extension SQLiteDatabase {
    /// Whether the file has no tables, neither this program's nor those of another one.
    package func isEmpty() async throws -> Bool {
        try await read { connection in
            try connection.row("SELECT COUNT(*) AS number FROM sqlite_master", [])?.integer("number") == 0
        }
    }
}
