import Foundation
import Store
import StorePostgreSQL
import TestSupport
import Testing

/// Guarded bodies, whose statements PostgreSQL commits one by one.
@Suite struct GuardedStatements {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let insertion = "INSERT INTO meta (name, value) VALUES ('name', 'value')"

    private func migrated() async throws -> PostgreSQLDatabase {
        let database = try await PostgreSQLServer.shared().open(scratch)
        try await Schema.migrate(database, now: .start)
        return database
    }

    private func failure(
        of database: PostgreSQLDatabase, _ body: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> StoreError.Code? {
        do {
            try await database.write(isolation: .guardedStatement, body)
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    @Test("Each statement is committed before the next: others see it, and no transaction is open in between")
    func committedAtOnce() async throws {
        let (database, other) = (try await migrated(), try await PostgreSQLServer.shared().open(scratch))
        let mayGoOn = DispatchSemaphore(value: 0)
        let (inside, continuation) = AsyncStream.makeStream(of: String.self)
        async let seen = database.write(isolation: .guardedStatement) { connection in
            let before = try Meta.value("name", on: connection)
            let backend = try connection.row("SELECT pg_backend_pid() AS pid", [])?.integer("pid") ?? 0
            try connection.execute(Self.insertion, [])
            continuation.yield("\(backend)")
            mayGoOn.wait()
            return [before, try Meta.value("name", on: connection)]
        }
        for await backend in inside {
            defer { mayGoOn.signal() }
            #expect(try await other.read { try Meta.value("name", on: $0) } == "value")
            let states = try await PostgreSQLServer.shared().values(
                "SELECT state FROM pg_catalog.pg_stat_activity WHERE pid = \(backend)")
            #expect(states == ["idle"])
            try await other.write { try Meta.set("name", to: "other", on: $0) }
            break
        }
        #expect(try await seen == [nil, "other"])
    }

    @Test("A second statement that would change rows is refused also if the body catches that, and the first one stays")
    func secondChange() async throws {
        let database = try await migrated()
        for catches in [false, true] {
            let name = "first-\(catches)"
            let code = try await failure(of: database) { connection in
                try Meta.set(name, to: "value", on: connection)
                do { try Meta.set("second", to: "value", on: connection) } catch { if !catches { throw error } }
            }
            #expect(code == .statement)
            #expect(try await database.read { try Meta.value(name, on: $0) } == "value")
        }
        #expect(try await database.read { try Meta.value("second", on: $0) } == nil)
        #expect(database.connectionMetrics?.unknownOutcomes == 0)
    }

    @Test("A body that throws, or whose read fails, after its change: the outcome is unknown, and it runs once")
    func failsAfterwards() async throws {
        let database = try await migrated()
        let endings: [@Sendable (any SQLConnection) throws -> Void] = [
            { _ in throw SQLTransactions.Refusal(number: 1) },
            { _ = try $0.query("SELECT 1 / 0", []) },
            { _ = try? $0.query("SELECT 1 / 0", []) },
            { _ = try $0.query("SELECT pg_terminate_backend(pg_backend_pid())", []) },
        ]
        for (number, ending) in endings.enumerated() {
            let runs = LockedValue(0)
            let code = try await failure(of: database) { connection in
                runs.withLock { $0 += 1 }
                try Meta.set("name-\(number)", to: "value", on: connection)
                try ending(connection)
            }
            #expect(code == .outcomeUnknown, "\(number)")
            #expect(runs.withLock { $0 } == 1)
            #expect(try await database.read { try Meta.value("name-\(number)", on: $0) } == "value")
        }
        #expect(database.connectionMetrics?.unknownOutcomes == endings.count)
    }

    @Test(
        "A backend that ended while its connection was idle is noticed before a change is sent, so the outcome is known",
        arguments: [false, true])
    func endedWhileIdle(afterReading: Bool) async throws {
        let server = try await PostgreSQLServer.shared()
        let database = try await server.open(scratch, PostgreSQLOptions(connections: 1))
        try await Schema.migrate(database, now: .start)
        let ask: @Sendable (any SQLConnection) throws -> Int64? = {
            try $0.row("SELECT pg_backend_pid() AS pid", [])?.integer("pid")
        }
        // The answer to the end of a read is not awaited, and so arrives before the server's last words.
        let asked = if afterReading { try await database.read(ask) } else { try await database.write(ask) }
        let backend = try #require(asked)
        try await server.run("SELECT pg_terminate_backend(\(backend), 10000)")
        let runs = LockedValue(0)
        let code = try await failure(of: database) { connection in
            runs.withLock { $0 += 1 }
            try Meta.set("name", to: "value", on: connection)
        }
        #expect(code == nil)
        #expect(runs.withLock { $0 } == 1)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        let metrics = database.connectionMetrics
        #expect(metrics?.unknownOutcomes == 0 && metrics?.lostConnections == 1)
    }

    @Test("A constraint that is checked at the commit is the error: nothing is written, and the connection stays")
    func failingCommit() async throws {
        let database = try await migrated()
        try await database.write { connection in
            try connection.define("CREATE TABLE parents (id BIGINT NOT NULL PRIMARY KEY)")
            try connection.define(
                """
                CREATE TABLE children (id BIGINT NOT NULL PRIMARY KEY,
                    parent BIGINT NOT NULL REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)
                """)
        }
        let code = try await failure(of: database) { connection in
            _ = try connection.execute("INSERT INTO children (id, parent) VALUES (1, 1)", [])
        }
        #expect(code == .constraint)
        let rows = try await database.read { try $0.query("SELECT id FROM children", []).count }
        #expect(rows == 0)
        let metrics = database.connectionMetrics
        #expect(metrics?.lostConnections == 0 && metrics?.unknownOutcomes == 0)
    }

    @Test("More statements than are kept prepared: the one that makes room is in the transaction of the change")
    func preparedStatements() async throws {
        _ = try await migrated()
        let database = try await PostgreSQLServer.shared().open(
            scratch, .patient(connections: 1) { $0.preparedStatements = 1 })
        for number in 0..<5 {
            let code = try await failure(of: database) { connection in
                _ = try connection.row("SELECT \(number), $1", [.integer(Int64(number))])
                try connection.execute(
                    "INSERT INTO meta (name, value) VALUES ($1, '\(number)')", [.text("name-\(number)")])
            }
            #expect(code == nil)
        }
        #expect(try await database.read { try $0.query("SELECT name FROM meta", []).count } == 5)
    }
}
