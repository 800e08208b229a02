import Foundation
import Store
import StorePostgreSQL
import StoreSQLite
import TestSupport
import Testing

/// An engine as the suite needs it: every test of `Conformance` runs on each of ``all``.
struct EngineUnderTest: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Opens the database of a scratch place; again after `close`, with what was acknowledged.
    let open: @Sendable (Scratch) async throws -> any Database
    /// The tables of a database.
    let tables: @Sendable (any Database) async throws -> Set<String>
    /// Closes what `open` opened, so that it can be opened again.
    let close: @Sendable (any Database) async throws -> Void

    static let all = [
        EngineUnderTest(
            testDescription: "SQLite",
            open: { try SQLiteDatabase.open(path: $0.database) },
            tables: { database in
                try await database.read { connection in
                    Set(
                        try connection.query(
                            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'", []
                        ).map { try $0.text("name") })
                }
            },
            close: { await ($0 as? SQLiteDatabase)?.close() }),
        EngineUnderTest(
            testDescription: "PostgreSQL",
            open: { try await PostgreSQLServer.shared().open($0) },
            tables: { database in
                try await database.read { connection in
                    Set(
                        try connection.query(
                            "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()", []
                        ).map { try $0.text("tablename") })
                }
            },
            close: { await ($0 as? PostgreSQLDatabase)?.close() }),
    ]

    /// An empty database with the program's schema.
    func migrated(_ scratch: Scratch) async throws -> any Database {
        let database = try await open(scratch)
        try await Schema.migrate(database, now: .start)
        return database
    }

    /// A database with one brand, account, client and session.
    func furnished(_ scratch: Scratch) async throws -> any Database {
        let database = try await migrated(scratch)
        try await database.write { try Sample.furnish($0) }
        return database
    }
}

/// A folder of one test, removed with it, and at the latest when the process exits.
final class Scratch: Sendable {
    let folder: String

    init(in parent: String = ProcessFolder.onDisk.path) throws {
        folder = URL(fileURLWithPath: parent).appendingPathComponent("store-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    var database: String { path("wallet.db") }

    func path(_ name: String) -> String { folder + "/" + name }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
        OpenDatabases.shared.release(folder)
    }
}
