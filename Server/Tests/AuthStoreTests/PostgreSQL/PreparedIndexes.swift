import Store
import StorePostgreSQL
import TestSupport
import Testing

/// What docs/architecture.md has an operator do before a migration that adds an index to a large table.
@Suite(.covers("an index on a large table, built beforehand")) struct PreparedIndexes {
    private let first = Migration(
        version: 1, name: "first",
        statements: ["CREATE TABLE items (id BIGINT NOT NULL PRIMARY KEY, kind BIGINT NOT NULL)"])
    private let second = Migration(
        version: 2, name: "second", statements: ["CREATE INDEX IF NOT EXISTS items_by_kind ON items (kind)"])

    @Test("An index is built concurrently while writers go on, again after an interruption, and the migration keeps it")
    func prepared() async throws {
        let server = try await PostgreSQLServer.shared()
        let own = try await server.createDatabase()
        let database = try await PostgreSQLDatabase.open(own.string, options: .patient(connections: 2))
        try await Schema.migrate(database, with: [first], now: .start)
        func rows(_ what: String) async throws -> String? {
            try await server.values("SELECT count(*) FROM \(what)", database: own.name).first
        }
        func insert(_ numbers: Range<Int64>) async throws {
            for number in numbers {
                try await database.write { connection in
                    _ = try connection.execute(
                        "INSERT INTO items (id, kind) VALUES ($1, $2)", [.integer(number), .integer(number % 7)])
                }
            }
        }
        try await insert(0..<100)
        for isInterrupted in [true, false] {
            // A build waits for every open transaction that has written to the table.
            let holding = Task {
                try? await server.run("INSERT INTO items VALUES (-1, 0); SELECT pg_sleep(300)", database: own.name)
            }
            let held = "pg_stat_activity WHERE datname = '\(own.name)' AND wait_event = 'PgSleep'"
            try await eventually("the open transaction") { try await rows(held) == "1" }
            let building = Task {
                try? await server.run("CREATE INDEX CONCURRENTLY items_by_kind ON items (kind)", database: own.name)
            }
            let built =
                "pg_stat_progress_create_index WHERE datname = '\(own.name)' AND phase LIKE 'waiting for writers%'"
            try await eventually("the build to wait") { try await rows(built) == "1" }
            try await insert(isInterrupted ? 100..<200 : 200..<300)
            #expect(try await rows(built) == "1")
            if isInterrupted { try await server.run("SELECT pg_terminate_backend(pid) FROM \(built)") }
            try await server.run("SELECT pg_terminate_backend(pid) FROM \(held)")
            _ = await holding.value
            _ = await building.value
            let valid = "pg_index WHERE indexrelid = 'items_by_kind'::regclass AND indisvalid"
            #expect(try await rows(valid) == (isInterrupted ? "0" : "1"))
            if isInterrupted {
                try await server.run("DROP INDEX CONCURRENTLY items_by_kind", database: own.name)
            }
        }
        let index = "SELECT oid FROM pg_class WHERE relname = 'items_by_kind'"
        let before = try await server.values(index, database: own.name)
        let report = try await Schema.migrate(database, with: [first, second], now: .start)
        #expect(report == Schema.Report(from: 1, to: 2))
        #expect(try await server.values(index, database: own.name) == before)
        #expect(try await rows("items") == "300")
        await database.close()
    }
}
