import Core
import Kernel
import Store
import Testing

@Suite struct SQLTransactions {
    struct Refusal: Error, Equatable { let number: Int }

    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("A body that throws undoes itself alone, in a batch with bodies that do not", arguments: EngineUnderTest.all)
    func throwing(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let outcomes = try await concurrently(200) { number -> (Int, Result<Int, Refusal>) in
            do {
                return (
                    number,
                    .success(
                        try await database.write { connection in
                            try Meta.set("name-\(number)", to: "value", on: connection)
                            if number % 3 == 0 { throw Refusal(number: number) }
                            return number
                        })
                )
            } catch let refusal as Refusal {
                return (number, .failure(refusal))
            }
        }
        for (number, outcome) in outcomes {
            let expected: Result<Int, Refusal> =
                number % 3 == 0 ? .failure(Refusal(number: number)) : .success(number)
            #expect(outcome == expected)
            let kept = try await database.read { try Meta.value("name-\(number)", on: $0) }
            #expect((kept != nil) == (number % 3 != 0))
        }
    }

    @Test(
        "A body that breaks a constraint gets the error, and others of its batch are kept",
        arguments: EngineUnderTest.all)
    func constraints(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let codes = try await concurrently(30) { number -> StoreError.Code? in
            do {
                try await database.write { connection in
                    switch number % 3 {
                    case 0:
                        _ = try Sessions.open(Sample.newSession(Sample.session), on: connection)
                    case 1:
                        _ = try Merchants.install(
                            client: "nobody", on: "nowhere", now: .start, on: connection)
                    default:
                        try Meta.set("name-\(number)", to: "value", on: connection)
                    }
                }
                return nil
            } catch let error as StoreError {
                return error.code
            }
        }
        #expect(codes.filter { $0 == .conflict }.count == 10)
        #expect(codes.filter { $0 == .constraint }.count == 10)
        #expect(codes.filter { $0 == nil }.count == 10)
        let kept = try await database.read { try $0.row("SELECT COUNT(*) AS number FROM meta", [])?.integer("number") }
        #expect(kept == 10)
    }

    @Test("A commit that fails keeps what can be kept, body by body", arguments: EngineUnderTest.all)
    func failingCommit(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            try connection.define("CREATE TABLE parents (id BIGINT NOT NULL PRIMARY KEY)")
            // Deferred: the fault shows at the commit, and so takes the whole batch with it at first.
            try connection.define(
                """
                CREATE TABLE children (id BIGINT NOT NULL PRIMARY KEY,
                    parent BIGINT NOT NULL REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)
                """)
        }
        let kept = try await concurrently(64) { number -> Bool in
            do {
                try await database.write { connection in
                    let value = SQLValue.integer(Int64(number))
                    try connection.execute("INSERT INTO children (id, parent) VALUES ($1, $1)", [value])
                    if number % 16 != 0 { try connection.execute("INSERT INTO parents (id) VALUES ($1)", [value]) }
                }
                return true
            } catch let error as StoreError {
                #expect(error.code == .constraint)
                return false
            }
        }
        #expect(kept.filter { $0 }.count == 60)
        let rows = try await database.read {
            try $0.query("SELECT id FROM children ORDER BY id", []).map { try $0.integer("id") }
        }
        #expect(rows == (0..<64).filter { $0 % 16 != 0 }.map(Int64.init))
    }

    @Test(
        "Cancelling a task that waits neither interrupts its write nor the others of its batch",
        arguments: EngineUnderTest.all)
    func cancellation(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let outcomes = try await concurrently(100) { number -> String in
            let task = Task {
                try await database.write { connection in
                    try Meta.set("name-\(number)", to: "value", on: connection)
                    return "written"
                }
            }
            if number % 2 == 0 { task.cancel() }
            return try await task.value
        }
        #expect(outcomes.allSatisfy { $0 == "written" })
        let rows = try await database.read { try $0.row("SELECT COUNT(*) AS number FROM meta", [])?.integer("number") }
        #expect(rows == 100)
    }

    @Test("A write that was acknowledged is there after a restart", arguments: EngineUnderTest.all)
    func restart(engine: EngineUnderTest) async throws {
        var database = try await engine.furnished(scratch)
        for generation in Int64(0)..<5 {
            let rotated = try await database.write {
                try Sessions.rotate(
                    Sample.session, from: generation, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                    countingUntil: .start,
                    on: $0)
            }
            #expect(rotated)
            try await engine.close(database)
            database = try await engine.open(scratch)
        }
        let session = try await database.read { try Sessions.find(Sample.session, on: $0) }
        #expect(session?.generation == 5)
    }

    @Test("A read sees every write acknowledged before it", arguments: EngineUnderTest.all)
    func readYourWrites(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let seen = try await concurrently(200) { number -> Bool in
            try await database.write { try Meta.set("name-\(number)", to: "value", on: $0) }
            return try await database.read { try Meta.value("name-\(number)", on: $0) } == "value"
        }
        #expect(seen.allSatisfy { $0 })
    }

    @Test("A read writes nothing", arguments: EngineUnderTest.all)
    func readsOnly(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        await #expect(throws: StoreError.self) {
            try await database.read { try Meta.set("name", to: "value", on: $0) }
        }
        let value = try await database.read { try Meta.value("name", on: $0) }
        #expect(value == nil)
    }

    @Test("A body cannot end its transaction under the others of its batch", arguments: EngineUnderTest.all)
    func noControl(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        for statement in ["COMMIT", "rollback", " BEGIN", "END", "SAVEPOINT s", "RELEASE s", "PRAGMA synchronous = 0"] {
            await #expect(throws: StoreError.self) {
                try await database.write { _ = try $0.execute(statement, []) }
            }
        }
        let value = try await database.write { connection in
            try Meta.set("name", to: "value", on: connection)
            return try Meta.value("name", on: connection)
        }
        #expect(value == "value")
    }

    @Test("After closing, calls are refused and not left waiting", arguments: EngineUnderTest.all)
    func closed(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await engine.close(database)
        for call in [database.read, database.write]
            as [(@escaping @Sendable (any SQLConnection) throws -> Int) async throws -> Int]
        {
            do {
                _ = try await call { _ in 1 }
                Issue.record("a closed database answered")
            } catch let error as StoreError {
                #expect(error.code == .closed)
            }
        }
    }
}
