import Kernel
import Store
import StorePostgreSQL
import TestSupport
import Testing

/// Migrations of a table that another session has locked for long, as a backup does.
@Suite(.covers("a migration while another session or an autovacuum has locked the table")) struct HeldTables {
    private let migrations =
        Schema.migrations + [
            Migration(
                version: Schema.newest + 1, name: "newer",
                statements: ["ALTER TABLE sessions ADD COLUMN of_a_newer_program BIGINT"])
        ]

    /// A session that has read `sessions`, in a transaction that stays open.
    private struct Holder {
        private let server: PostgreSQLServer
        private let sessions: String
        private let holding: Task<Void?, Never>

        init(in own: PostgreSQLServer.OwnDatabase, on server: PostgreSQLServer) async throws {
            self.server = server
            sessions = "pg_stat_activity WHERE datname = '\(own.name)' AND wait_event = 'PgSleep'"
            holding = Task {
                try? await server.run("SELECT FROM sessions; SELECT pg_sleep(300)", database: own.name)
            }
            let counting = "SELECT count(*) FROM \(sessions)"
            try await eventually("the open transaction") { try await server.values(counting) == ["1"] }
        }

        func end() async throws {
            try await server.run("SELECT pg_terminate_backend(pid) FROM \(sessions)")
            _ = await holding.value
        }
    }

    @Test(
        """
        While a session holds a table that a migration alters, reads and writes of the table go on; the migration is done \
        once that session ends
        """)
    func held() async throws {
        let server = try await PostgreSQLServer.shared()
        let own = try await server.createDatabase()
        let options = PostgreSQLOptions.patient(connections: 2)
        let serving = try await PostgreSQLDatabase.open(own.string, options: options)
        let migrating = try await PostgreSQLDatabase.open(own.string, options: options)
        try await Schema.migrate(serving, now: .start)
        try await serving.write { try Sample.furnish($0) }
        func generation() async throws -> Int64? {
            try await serving.read { try Sessions.find(Sample.session, on: $0)?.generation }
        }
        func rotate() async throws {
            try await serving.write { connection in
                _ = try connection.execute(
                    "UPDATE sessions SET generation = generation + 1 WHERE id = $1", [.id(Sample.session)])
            }
        }

        let holder = try await Holder(in: own, on: server)
        let migration = Task { [migrations] in
            try await Schema.migrate(migrating, with: migrations, now: .start)
        }
        // A statement waits behind a migration as long as that tries to get its lock: for a moment, where others try longer.
        let long = PostgreSQLOptions().lockTimeout / 2
        var (writes, longWaits) = (Int64(0), 0)
        let end = ContinuousClock.now + .seconds(300)
        // Twice it has waited for the lock, and paused.
        while (migrating.connectionMetrics?.repeatedWrites ?? 0) < 2 {
            let began = ContinuousClock.now
            try #require(began < end)
            #expect(try await generation() == writes)
            try await rotate()
            writes += 1
            if ContinuousClock.now - began > long { longWaits += 1 }
        }
        // Each of its two attempts would cause one. A machine that stops causes one alone.
        #expect(longWaits < 2)
        try await holder.end()
        #expect(try await migration.value == Schema.Report(from: Schema.newest, to: Schema.newest + 1))
        #expect(try await generation() == writes)
        try await rotate()
        for database in [serving, migrating] { await database.close() }
    }

    @Test(
        """
        A migration that gets no lock in time has changed nothing and says so in one line; run again after that session, it \
        is done
        """)
    func givenUp() async throws {
        let server = try await PostgreSQLServer.shared()
        let own = try await server.createDatabase()
        // The shortest pause.
        let options = PostgreSQLOptions.patient(connections: 1) { $0.schemaChangePatience = .seconds(1) }
        let database = try await PostgreSQLDatabase.open(own.string, options: options)
        try await Schema.migrate(database, now: .start)
        let holder = try await Holder(in: own, on: server)
        let error = await #expect(throws: StoreError.self) {
            _ = try await Schema.migrate(database, with: migrations, now: .start)
        }
        #expect(error?.code == .unavailable)
        #expect(database.connectionMetrics?.repeatedWrites == 1)
        let reason = error?.reason ?? ""
        #expect(!reason.contains { $0.isNewline })
        for words in ["has changed nothing", "55P03", "FROM pg_stat_activity", "`walletauth database migrate`"] {
            #expect(reason.contains(words), "\(words): \(reason)")
        }
        #expect(try await database.read { try Schema.version(on: $0) } == Schema.newest)
        // The query of the reason.
        let oldest = "SELECT query FROM pg_stat_activity WHERE datname = current_database() ORDER BY xact_start LIMIT 1"
        #expect(try await server.values(oldest, database: own.name).first?.contains("pg_sleep") == true)
        try await holder.end()
        let report = try await Schema.migrate(database, with: migrations, now: .start)
        #expect(report == Schema.Report(from: Schema.newest, to: Schema.newest + 1))
        await database.close()
    }

    @Test("An autovacuum of the table that a migration alters is ended, however long it would take")
    func autovacuum() async throws {
        let server = try await PostgreSQLServer.start()
        let first = Migration(
            version: 1, name: "first", statements: ["CREATE TABLE items (id BIGINT NOT NULL PRIMARY KEY)"])
        let second = Migration(version: 2, name: "second", statements: ["ALTER TABLE items ADD COLUMN kind BIGINT"])
        let database = try await PostgreSQLDatabase.open(server.string(), options: .patient(connections: 1))
        try await Schema.migrate(database, with: [first], now: .start)
        // It sleeps after every page.
        try await server.run(
            """
            ALTER TABLE items SET (autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1,
                autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0)
            """,
            "INSERT INTO items SELECT generate_series(1, 100000)", "DELETE FROM items WHERE id % 2 = 0",
            "ALTER SYSTEM SET autovacuum_naptime = 1", "SELECT pg_reload_conf()")
        try await eventually("the autovacuum") {
            let running = "SELECT count(*) FROM pg_stat_progress_vacuum WHERE relid = 'items'::regclass"
            return try await server.values(running) == ["1"]
        }
        let report = try await Schema.migrate(database, with: [first, second], now: .start)
        #expect(report == Schema.Report(from: 1, to: 2))
        let finished = "SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = 'items'"
        #expect(try await server.values(finished) == ["0"])
        await database.close()
    }
}
