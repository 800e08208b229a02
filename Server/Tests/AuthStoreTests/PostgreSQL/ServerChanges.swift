import Foundation
import Store
import StorePostgreSQL
import TestSupport
import Testing

/// A server of its own for each test, which stops, turns read-only or waits for a standby.
@Suite(.covers("a synchronous standby that is away")) struct ServerChanges {
    private func write(
        _ name: String, to database: PostgreSQLDatabase, isolation: WriteIsolation = .serializable
    ) async throws -> StoreError.Code? {
        do {
            try await database.write(isolation: isolation) { try Meta.set(name, to: "value", on: $0) }
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    /// Creates the schema, before the database is opened with limits that a busy machine may exceed in that.
    private func migrate(_ string: String) async throws {
        let database = try await PostgreSQLDatabase.open(string, options: .tests)
        try await Schema.migrate(database, now: .start)
        await database.close()
    }

    /// Writes until one is acknowledged. Each refused one waits for an attempt to connect.
    private func writeUntilAcknowledged(_ name: String, to database: PostgreSQLDatabase) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while let code = try await write(name, to: database) {
            #expect(code == .unavailable || code == .outcomeUnknown)
            try #require(ContinuousClock.now < end)
        }
    }

    @Test("A server that stops is unavailable, and once it runs again all that was acknowledged is there")
    func restart() async throws {
        let server = try await PostgreSQLServer.start()
        let database = try await PostgreSQLDatabase.open(server.string(), options: .tests)
        try await Schema.migrate(database, now: .start)
        #expect(try await write("before", to: database) == nil)
        try await server.restart()
        try await writeUntilAcknowledged("after restart", to: database)
        try await server.stop()
        #expect(try await write("stopped", to: database) == .unavailable)
        try await server.startAgain()
        try await writeUntilAcknowledged("after stop", to: database)
        let names = try await database.read {
            try $0.query("SELECT name FROM meta ORDER BY name", []).map { try $0.text("name") }
        }
        #expect(names == ["after restart", "after stop", "before"])
        await database.close()
    }

    @Test("A server that turns read-only gets no further call until it accepts writes again")
    func readOnly() async throws {
        let server = try await PostgreSQLServer.start()
        let database = try await PostgreSQLDatabase.open(server.string(), options: .tests)
        try await Schema.migrate(database, now: .start)
        try await server.run("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
        // Each backend reads the new setting in its own time.
        let end = ContinuousClock.now + .seconds(300)
        while try await write("read-only", to: database) == nil { try #require(ContinuousClock.now < end) }
        for _ in 0..<3 { #expect(try await write("read-only", to: database) == .unavailable) }
        try await server.run(
            "SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only",
            "SELECT pg_reload_conf()")
        try await writeUntilAcknowledged("writable", to: database)
    }

    @Test("A standby is refused, and passed over for the primary after it")
    func standby() async throws {
        let primary = try await PostgreSQLServer.start()
        let standby = try await PostgreSQLServer.start(standbyOf: primary)
        let error = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(standby.string())
        }
        #expect(error?.code == .readOnly)
        // Also where the connection string lets it pass.
        let any = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(standby.string("target_session_attrs=any"))
        }
        #expect(any?.code == .readOnly)
        let database = try await PostgreSQLDatabase.open(
            primary.string(host: "\(standby.folder),\(primary.folder)"), options: .tests)
        #expect(try await database.read { $0.serverName }?.hasPrefix(primary.folder) == true)
        try await Schema.migrate(database, now: .start)
        #expect(try await write("name", to: database) == nil)
    }

    @Test("While a synchronous standby is away, calls that wait too long are refused, and the group goes on")
    func queueDeadline() async throws {
        let server = try await PostgreSQLServer.start()
        let scratch = try Scratch()
        let options = PostgreSQLOptions.patient(connections: 2) { $0.waitingTime = .seconds(2) }
        let members = [
            try await Member(of: scratch, on: server, options: options), try await Member(of: scratch, on: server),
        ]
        let (database, other) = (members[0].database, members[1].database)
        try await Schema.migrate(other, now: .start)
        try await eventually("all connections") { database.connectionMetrics?.connected == 2 }
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
        // The server takes the new setting in its own time. Until then, commits do not hang.
        let isReleased = LockedValue(false)
        async let first: Void = {
            while !isReleased.withLock({ $0 }) { _ = try await write("first", to: other) }
        }()
        let hanging = "pg_stat_activity WHERE wait_event = 'SyncRep'"
        try await eventually("a commit that hangs") { try await server.count(hanging) == 1 }
        try await withThrowingTaskGroup(of: StoreError.Code?.self) { group in
            for number in 0..<2 { group.addTask { try await write("\(number)", to: database) } }
            try await eventually("two more commits that hang") { try await server.count(hanging) == 3 }
            for number in 2..<20 { group.addTask { try await write("\(number)", to: database) } }
            // None of them waits for a commit that hangs: those end only below.
            for _ in 2..<20 {
                let code = try await group.next() ?? nil
                #expect(code == .unavailable)
            }
            #expect(database.connectionMetrics?.expiredCalls == 18)
            var notices = members[1].group.notices().makeAsyncIterator()
            members[0].group.announce(.keys)
            let notice = await notices.next()
            #expect(notice == .keys)
            let leads = await members[0].group.leads()
            #expect(leads)
            isReleased.withLock { $0 = true }
            try await server.run(
                "SET synchronous_commit = local", "ALTER SYSTEM RESET synchronous_standby_names",
                "SELECT pg_reload_conf()")
            for try await code in group { #expect(code == nil) }
        }
        try await first
        #expect(members[0].events.names.isEmpty)
        for member in members { await member.close() }
    }

    @Test(
        """
        While a synchronous standby is away, commits that hang do not use up the server's connections, and reads go \
        on; once nothing waits for the standby any more, so do writes
        """, arguments: [false, true])
    func hangingCommits(actsAsAnother: Bool) async throws {
        let server = try await PostgreSQLServer.start()
        if actsAsAnother { try await server.createActingRole("walletauth", in: "public") }
        let string = server.string(user: actsAsAnother ? "walletauth" : "postgres")
        try await migrate(string)
        let options = PostgreSQLOptions.patient(connections: 2) { $0.statementTimeout = .seconds(1) }
        let database = try await PostgreSQLDatabase.open(string, options: options)
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
        // Each backend reads the new setting in its own time, and the first commits hang.
        var number = 0
        let end = ContinuousClock.now + .seconds(300)
        while try await write("\(number)", to: database) != .unavailable {
            try #require(ContinuousClock.now < end)
            number += 1
        }
        for attempt in 0..<20 {
            #expect(try await write("attempt \(attempt)", to: database) == .unavailable)
        }
        let hanging = "pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'"
        #expect(try await server.count(hanging) == 2)
        #expect(try await database.read { try $0.row("SELECT 1 AS one", [])?.integer("one") } == 1)
        try await server.run(
            "SET synchronous_commit = local", "ALTER SYSTEM RESET synchronous_standby_names",
            "SELECT pg_reload_conf()")
        try await writeUntilAcknowledged("name", to: database)
        await database.close()
    }

    @Test("A commit that no synchronous standby confirmed is not acknowledged, even if the wait is cancelled")
    func unconfirmed() async throws {
        let server = try await PostgreSQLServer.start()
        // More than the commits that hang here at once: otherwise writes would be refused.
        let options = PostgreSQLOptions.patient(connections: 6) { $0.statementTimeout = .seconds(1) }
        try await migrate(server.string())
        let database = try await PostgreSQLDatabase.open(server.string(), options: options)
        try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()")
        // Each backend reads the new setting in its own time.
        var number = 0
        let end = ContinuousClock.now + .seconds(300)
        while try await write("\(number)", to: database) == nil {
            try #require(ContinuousClock.now < end)
            number += 1
        }
        // Names of their own: the first write still holds its key.
        for (name, isolation) in [("silent", WriteIsolation.serializable), ("silent guarded", .guardedStatement)] {
            #expect(try await write(name, to: database, isolation: isolation) == .outcomeUnknown, "\(name)")
        }
        // The server commits with a warning if it need not wait any longer.
        let patience = PostgreSQLOptions.patient(connections: 2)
        let patient = try await PostgreSQLDatabase.open(server.string(), options: patience)
        async let cancelled = write("cancelled", to: patient)
        async let cancelledGuarded = write("cancelled guarded", to: patient, isolation: .guardedStatement)
        let isOver = LockedValue(false)
        async let cancelling: Void = {
            while !isOver.withLock({ $0 }) {
                try await server.run(
                    "SELECT pg_cancel_backend(pid) FROM pg_catalog.pg_stat_activity WHERE wait_event = 'SyncRep'")
            }
        }()
        let began = ContinuousClock.now
        #expect(try await cancelled == .outcomeUnknown)
        #expect(try await cancelledGuarded == .outcomeUnknown)
        #expect(ContinuousClock.now - began < patience.statementTimeout)
        isOver.withLock { $0 = true }
        try await cancelling
        try await server.run(
            "SET synchronous_commit = local", "ALTER SYSTEM RESET synchronous_standby_names",
            "SELECT pg_reload_conf()")
        try await writeUntilAcknowledged("name", to: database)
    }
}
