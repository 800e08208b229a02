import Kernel
import Store
import StorePostgreSQL
import TestSupport
import Testing

/// Calls that wait at the server, and what they leave to others.
@Suite(.covers("a synchronous standby that is away", "a table that another session has locked")) struct LockedTables {
    private static let four = PostgreSQLOptions.patient(connections: 4) { options in
        options.lockTimeout = .seconds(40)
        options.probes = true
    }

    private func rotate(in database: PostgreSQLDatabase) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE sessions SET generation = generation + 1 WHERE id = $1", [.id(Sample.session)])
        }
    }

    @Test("While a table is locked, reads and writes of others go on, and so does a probe")
    func locked() async throws {
        let server = try await PostgreSQLServer.shared()
        let own = try await server.createDatabase()
        let database = try await PostgreSQLDatabase.open(own.string, options: Self.four)
        try await Schema.migrate(database, now: .start)
        try await database.write { try Sample.furnish($0) }
        try await eventually("all connections") { database.connectionMetrics?.connected == 4 }
        let holding = Task {
            try? await server.run("BEGIN; LOCK TABLE sessions; SELECT pg_sleep(300)", database: own.name)
        }
        let sleeping = "pg_stat_activity WHERE datname = '\(own.name)' AND wait_event = 'PgSleep'"
        try await eventually("the lock") { try await server.count(sleeping) == 1 }

        let rotations = (0..<20).map { _ in Task { try await rotate(in: database) } }
        let waiting = """
            pg_locks l JOIN pg_database d ON d.oid = l.database
            WHERE d.datname = '\(own.name)' AND l.locktype = 'relation' AND NOT l.granted
            """
        try await eventually("writes that wait") { try await server.count(waiting) >= 2 }
        for number in 0..<20 {
            try await database.write { try Meta.set("free-\(number)", to: "value", on: $0) }
            #expect(try await database.read { try Meta.value("free-\(number)", on: $0) } == "value")
            try await database.probe { try Meta.set("probe", to: "\(number)", on: $0) }
        }
        // None of it came after the end of the waits.
        #expect(try await server.count(waiting) >= 1)
        try await eventually("a stalled connection") { (database.connectionMetrics?.stalled ?? 0) >= 1 }
        #expect(database.connectionMetrics?.expiredCalls == 0)

        try await server.run("SELECT pg_terminate_backend(pid) FROM \(sleeping)")
        _ = await holding.value
        for rotation in rotations { try await rotation.value }
        #expect(try await database.read { try Sessions.find(Sample.session, on: $0)?.generation } == 20)
        await database.close()
    }

    @Test("While a standby is away and commits hang, reads go on from the first one")
    func missingStandby() async throws {
        let server = try await PostgreSQLServer.start()
        let own = try await server.createDatabase()
        let database = try await PostgreSQLDatabase.open(own.string, options: Self.four)
        try await Schema.migrate(database, now: .start)
        try await eventually("all connections") { database.connectionMetrics?.connected == 4 }
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
        let hanging = "pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = '\(own.name)'"
        // The server takes the new setting in its own time. Until then, commits do not hang.
        let isReleased = LockedValue(false)
        let writes = (0..<8).map { number in
            Task {
                while !isReleased.withLock({ $0 }) {
                    try await database.write { try Meta.set("name-\(number)", to: "value", on: $0) }
                }
            }
        }
        try await eventually("three commits that hang") { try await server.count(hanging) >= 3 }
        for _ in 0..<20 {
            #expect(try await database.read { try $0.row("SELECT 1 AS one", [])?.integer("one") } == 1)
        }
        #expect(try await server.count(hanging) >= 3)
        isReleased.withLock { $0 = true }
        try await server.run(
            "SET synchronous_commit = local", "ALTER SYSTEM RESET synchronous_standby_names",
            "SELECT pg_reload_conf()")
        for write in writes { try await write.value }
        await database.close()
    }
}
