import Core
import Foundation
import Kernel
import SignIn
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

@Suite struct ConcurrentWrites {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Two engines with the same database, like two processes.
    private func two(_ options: PostgreSQLOptions = .tests) async throws -> [PostgreSQLDatabase] {
        let server = try await PostgreSQLServer.shared()
        let first = try await server.open(scratch, options)
        try await Schema.migrate(first, now: .start)
        return [first, try await server.open(scratch, options)]
    }

    @Test("Two writers each remove one of the last two, 500 times: one always stays (write skew)")
    func lastOne() async throws {
        let databases = try await two()
        for round in 0..<500 {
            try await databases[0].write { connection in
                for name in ["a", "b"] { try Meta.set("\(name)\(round)", to: "\(round)", on: connection) }
            }
            let removed = try await concurrently(2) { index in
                try await databases[index].write { connection in
                    let left = try connection.row("SELECT COUNT(*) FROM meta WHERE value = $1", [.text("\(round)")])
                    guard try left?.integer("count") == 2 else { return false }
                    return try connection.execute(
                        "DELETE FROM meta WHERE name = $1", [.text((index == 0 ? "a" : "b") + "\(round)")]) == 1
                }
            }
            #expect(removed.filter { $0 }.count == 1)
        }
        let left = try await databases[1].read {
            try $0.row("SELECT COUNT(*) AS count FROM meta", [])?.integer("count")
        }
        #expect(left == 500)
    }

    @Test("A number read, raised and written by many through two engines loses no step")
    func counter() async throws {
        let databases = try await two()
        _ = try await concurrently(400) { index in
            try await databases[index % 2].write { connection in
                let number = try Meta.value("number", on: connection).flatMap { Int($0) } ?? 0
                try Meta.set("number", to: "\(number + 1)", on: connection)
            }
        }
        #expect(try await databases[0].read { try Meta.value("number", on: $0) } == "400")
    }

    @Test("A guarded statement has one winner through two engines, and is never repeated")
    func guarded() async throws {
        let databases = try await two()
        try await databases[0].write { try Sample.furnish($0) }
        try await refresh(20, on: databases)
    }

    @Test("A default of serializable, of the role or the connection, does not make guarded statements repeat")
    func serializableByDefault() async throws {
        let server = try await PostgreSQLServer.shared()
        let schema = PostgreSQLServer.schema(of: scratch)
        try await two()[0].write { try Sample.furnish($0) }
        try await server.run(
            "CREATE ROLE \(schema) SUPERUSER LOGIN",
            "ALTER ROLE \(schema) SET default_transaction_isolation = 'serializable'")
        let options = "options='-c search_path=\(schema) -c default_transaction_isolation=serializable'"
        var databases: [PostgreSQLDatabase] = []
        for string in [server.string(schema: schema, user: schema), server.string(options)] {
            databases.append(try await PostgreSQLDatabase.open(string, options: .tests))
        }
        try await refresh(10, on: databases)
    }

    /// Refreshes one session from its first generation on, 64 times at once for each: reads it, rotates it, and reads it
    /// again if another won. None of the bodies runs twice.
    private func refresh(_ generations: Int64, on databases: [PostgreSQLDatabase]) async throws {
        let runs = LockedValue(0)
        for generation in 0..<generations {
            let won = try await concurrently(64) { caller in
                try await databases[caller % 2].write(isolation: .guardedStatement) { connection -> Bool? in
                    runs.withLock { $0 += 1 }
                    let hash = Sample.digest(caller)
                    if try Sessions.find(Sample.session, on: connection)?.generation == generation,
                        try Sessions.rotate(
                            Sample.session, from: generation, attemptHash: hash, now: .start,
                            expiresAt: .start + .days(30), countingUntil: .start, on: connection)
                    {
                        return true
                    }
                    let winner = try Sessions.find(Sample.session, on: connection)
                    // A statement that waited for the winner's sees it afterwards.
                    return winner?.generation == generation + 1 && winner?.attemptHash != hash ? false : nil
                }
            }
            #expect(won.count { $0 == true } == 1)
            #expect(won.count { $0 == false } == 63)
        }
        #expect(runs.withLock { $0 } == Int(generations) * 64)
        #expect(databases.allSatisfy { $0.connectionMetrics?.repeatedWrites == 0 })
    }

    @Test("A guarded statement that waited sees its own row as it is, and others as they were: the next one sees both")
    func waitedForVersion() async throws {
        let databases = try await two()
        try await databases[0].write { try Sample.furnish($0) }
        let mayCommit = DispatchSemaphore(value: 0)
        let (holding, continuation) = AsyncStream.makeStream(of: Void.self)
        async let keeping: Void = databases[1].write { connection in
            try Accounts.raiseSecurityVersionKeepingSessions(of: Sample.account, on: connection)
            continuation.yield()
            mayCommit.wait()
        }
        for await _ in holding { break }
        async let rotations = databases[0].write(isolation: .guardedStatement) { connection in
            func rotate() throws -> Bool {
                try Sessions.rotate(
                    Sample.session, from: 0, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                    countingUntil: .start, on: connection)
            }
            let before = try Sessions.find(Sample.session, on: connection)?.facts.securityVersion
            let first = try rotate()
            let after = try Sessions.find(Sample.session, on: connection)?.facts.securityVersion
            return (before, first, after, try rotate())
        }
        let server = try await PostgreSQLServer.shared()
        let schema = PostgreSQLServer.schema(of: scratch)
        try await eventually("a statement that waits") {
            try await server.count(
                """
                pg_locks w JOIN pg_locks h ON h.transactionid = w.transactionid AND h.granted AND NOT w.granted
                WHERE EXISTS (SELECT 1 FROM pg_locks r
                    WHERE r.pid = w.pid AND r.relation = to_regclass('\(schema).sessions'))
                """) == 1
        }
        mayCommit.signal()
        try await keeping
        let (before, first, after, second) = try await rotations
        #expect(before == 1 && after == 2)
        #expect(!first && second)
    }

    @Test("A unique key that another write took in the meantime: the body runs once more, and sees the other's row")
    func keyTakenMeanwhile() async throws {
        let databases = try await two()
        let (runs, isWritten) = (LockedValue(0), DispatchSemaphore(value: 0))
        let (looked, continuation) = AsyncStream.makeStream(of: Void.self)
        async let found = databases[0].write { connection in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if let value = try Meta.value("key", on: connection) { return value }
            if isFirst {
                continuation.yield()
                isWritten.wait()
            }
            try connection.execute("INSERT INTO meta (name, value) VALUES ('key', 'own')", [])
            return "own"
        }
        for await _ in looked { break }
        _ = try await databases[1].write { connection in
            try connection.execute("INSERT INTO meta (name, value) VALUES ('key', 'other')", [])
        }
        isWritten.signal()
        #expect(try await found == "other")
        #expect(runs.withLock { $0 } == 2)
        #expect(databases[0].connectionMetrics?.repeatedWrites == 1)
    }

    @Test("A unique key that was taken before is a conflict after one repetition, and at once for a guarded statement")
    func keyTakenBefore() async throws {
        let database = try await two()[0]
        try await database.write { try Meta.set("key", to: "value", on: $0) }
        for (isolation, expected) in [(WriteIsolation.serializable, 2), (.guardedStatement, 1)] {
            let runs = LockedValue(0)
            let error = await #expect(throws: StoreError.self) {
                try await database.write(isolation: isolation) { connection in
                    runs.withLock { $0 += 1 }
                    try connection.execute("INSERT INTO meta (name, value) VALUES ('key', 'own')", [])
                }
            }
            #expect(error?.code == .conflict)
            #expect(runs.withLock { $0 } == expected)
        }
    }

    @Test("A write that runs alone holds others back only for a moment")
    func slowAlone() async throws {
        let gate = WriterGate()
        #expect(gate.enterAlone() == .alone)
        let began = ContinuousClock.now
        let turns = [gate.enter(), gate.enterAlone()]
        #expect(turns == [.withOthers, .withOthers])
        #expect(ContinuousClock.now - began > .milliseconds(80))
        for turn in turns { gate.leave(turn) }
        gate.leave(.alone)
        #expect(gate.enterAlone() == .alone)
        gate.leave(.alone)
    }

    @Test("A body that catches the error of a statement and goes on gets that error, and nothing is written")
    func caught() async throws {
        let database = try await two()[0]
        try await database.write { try Meta.set("taken", to: "value", on: $0) }
        let error = await #expect(throws: StoreError.self) {
            try await database.write { connection in
                try Meta.set("first", to: "value", on: connection)
                _ = try? connection.execute("INSERT INTO meta (name, value) VALUES ('taken', '')", [])
                try? Meta.set("second", to: "value", on: connection)
            }
        }
        #expect(error?.code == .conflict)
        let names = try await database.read { try $0.query("SELECT name FROM meta", []).map { try $0.text("name") } }
        #expect(names == ["taken"])
    }

    @Test("Calls beyond the limit are refused at once, and those that wait are served")
    func fullQueue() async throws {
        let database = try await two(.patient(connections: 1) { $0.waitingLimit = 4 })[0]
        let gate = DispatchSemaphore(value: 0)
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        async let blocking: Void = database.write { _ in
            continuation.yield()
            gate.wait()
        }
        for await _ in entered { break }
        let codes = try await withThrowingTaskGroup(of: StoreError.Code?.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do {
                        try await database.write { try Meta.set("name-\(number)", to: "value", on: $0) }
                        return nil
                    } catch let error as StoreError {
                        return error.code
                    }
                }
            }
            var codes: [StoreError.Code?] = []
            for _ in 0..<2 { codes.append(try await group.next() ?? nil) }
            gate.signal()
            for try await code in group { codes.append(code) }
            return codes
        }
        try await blocking
        #expect(codes.prefix(2).allSatisfy { $0 == .unavailable })
        #expect(codes.dropFirst(2).allSatisfy { $0 == nil })
    }

    @Test("An operator's open transaction holds one row: its writes are refused, and others go on")
    func heldRow() async throws {
        let options = PostgreSQLOptions.patient(connections: 4) { $0.lockTimeout = .milliseconds(200) }
        let databases = try await two(options)
        try await databases[0].write { try Meta.set("held", to: "value", on: $0) }
        let gate = DispatchSemaphore(value: 0)
        let (entered, continuation) = AsyncStream.makeStream(of: Void.self)
        async let holding: Void = databases[1].write { connection in
            try connection.execute("UPDATE meta SET value = 'operator' WHERE name = 'held'", [])
            continuation.yield()
            gate.wait()
        }
        for await _ in entered { break }
        let error = await #expect(throws: StoreError.self) {
            try await databases[0].write { try Meta.set("held", to: "other", on: $0) }
        }
        #expect(error?.code == .unavailable)
        try await databases[0].write { try Meta.set("free", to: "value", on: $0) }
        gate.signal()
        try await holding
        #expect(try await databases[0].read { try Meta.value("held", on: $0) } == "operator")
    }

    @Test("Sums, comparisons and numbers of every width come as whole numbers, and too large ones are refused")
    func numbers() async throws {
        let database = try await two()[0]
        let row = try await database.read {
            try $0.row(
                """
                SELECT SUM(v), COUNT(*), 1 = 1, 1 = 2, 7, CAST(-3 AS SMALLINT), -SUM(v), SUM(v) * 0, MAX(v)
                FROM (SELECT CAST(9223372036854770000 AS BIGINT) AS v UNION ALL SELECT 5807) AS numbers
                """, [])
        }
        #expect(
            row?.values == [.integer(.max), 2, 1, 0, 7, -3, .integer(-.max), 0, .integer(9_223_372_036_854_770_000)])
        for sql in [
            "SELECT SUM(v) FROM (SELECT CAST(9223372036854775807 AS BIGINT) AS v UNION ALL SELECT 1) AS n",
            "SELECT 1.5",
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await database.read { try $0.row(sql, [])?.values }
            }
            #expect(error?.code == .unexpectedRow)
        }
    }

    @Test("More statements than are kept prepared, and arguments of other types under the same text")
    func preparedStatements() async throws {
        let database = try await two(.patient(connections: 1) { $0.preparedStatements = 4 })[0]
        for round in 0..<3 {
            for number in 0..<10 {
                let row = try await database.read { try $0.row("SELECT \(number), $1", [.integer(Int64(round))]) }
                #expect(row?.values == [.integer(Int64(number)), .integer(Int64(round))])
            }
        }
        for value: SQLValue in ["text", 5, .blob([1]), nil] {
            #expect(try await database.read { try $0.row("SELECT $1", [value])?.values } == [value])
        }
        // A plan whose table has changed is prepared again.
        try await database.write { try $0.define("CREATE TABLE changing (id BIGINT NOT NULL PRIMARY KEY)") }
        #expect(try await database.read { try $0.query("SELECT * FROM changing", []).count } == 0)
        try await database.write { try $0.define("ALTER TABLE changing ADD COLUMN more TEXT") }
        try await database.write { _ = try $0.execute("INSERT INTO changing (id, more) VALUES (1, 'b')", []) }
        #expect(try await database.read { try $0.row("SELECT * FROM changing", [])?.values } == [1, "b"])
    }

    @Test("A call that fails before its statement is sent leaves none prepared at the server beyond the limit")
    func replacedStatement() async throws {
        let database = try await two(.patient(connections: 1) { $0.preparedStatements = 1 })[0]
        func prepared() async throws -> Int64? {
            try await database.read {
                try $0.row("SELECT COUNT(*) AS number FROM pg_catalog.pg_prepared_statements", [])?.integer("number")
            }
        }
        let before = try await prepared()
        #expect(before == 1)
        await #expect(throws: StoreError.self) {
            // One argument too many.
            try await database.read { try $0.row("SELECT 1", [.integer(1)])?.values }
        }
        let after = try await prepared()
        #expect(after == 1)
    }
}
