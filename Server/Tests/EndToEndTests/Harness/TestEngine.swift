import Foundation
import TestSupport
import Testing

/// The engine of the database of each server that a test starts without naming a database.
enum TestEngine: String {
    case sqlite
    case postgresql

    /// The environment variable that chooses it.
    static let variable = "WALLETAUTH_TEST_ENGINE"

    private static let named = ProcessInfo.processInfo.environment[variable] ?? TestEngine.sqlite.rawValue
    /// With an unknown name no server starts: see ``newDatabase()``.
    static let current = TestEngine(rawValue: named) ?? .sqlite

    /// The variable names no engine.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates a database for one server.
    /// - Returns: its URL; `nil` for a SQLite file, which the server creates in its folder.
    static func newDatabase() async throws -> String? {
        guard TestEngine(rawValue: named) != nil else {
            throw Unknown(description: "\(variable) takes sqlite or postgresql, not: \(named)")
        }
        guard current == .postgresql else { return nil }
        // It is not dropped: PostgreSQL writes a checkpoint for that, which takes seconds. It ends with PostgreSQL's server.
        return try await PostgreSQLServer.shared().createDatabase(copying: template.value).url
    }

    /// A database that has the tables and no rows. Creating the tables takes most of a second; copying them, a tenth.
    private static let template: Task<PostgreSQLServer.OwnDatabase, any Error> = Task {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let migrated = try await ChildProcess.run(
            Programs.walletauth, ["database", "migrate"],
            environment: [
                "WALLETAUTH_DATABASE": database.url, "WALLETAUTH_POSTGRESQL_FOLDER": folder.url.path,
            ], folder: folder.url)
        guard migrated.succeeded else { throw CommandFailed(description: migrated.errors) }
        // The command's keys, which its master key opens, and the database's identity: each server creates its own.
        try await postgres.run(
            """
            DO $$ BEGIN EXECUTE (
                SELECT 'TRUNCATE ' || string_agg(quote_ident(tablename), ', ') || ' RESTART IDENTITY' FROM pg_tables
                WHERE schemaname = 'public' AND tablename <> 'schema_migrations'); END $$
            """, database: database.name)
        return database
    }
}

extension Trait where Self == ConditionTrait {
    /// Of tests that start no server of ours, or choose its database themselves, and of those whose calls other tests make on both
    /// engines: about a terminal, an SDK, another project's client, a page in a browser, or what is refused. Of each feature, one test
    /// that succeeds and one with a race or a crash are left for PostgreSQL.
    static var onceForAllEngines: Self {
        .enabled(if: TestEngine.current == .sqlite, "it does not depend on the engine: the run on SQLite covers it")
    }

    /// Of tests about what only a SQLite file has.
    /// - Parameter counterpart: what a PostgreSQL database has instead, and where that is tested.
    static func onlySQLite(_ counterpart: Comment) -> Self {
        .enabled(if: TestEngine.current == .sqlite, counterpart)
    }
}
