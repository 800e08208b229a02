import Core
import Testing

@testable import Store

@Suite struct Marks {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(
        "A mark rises to the time, or by one if the clock is behind; each process has its own",
        arguments: EngineUnderTest.all)
    func raising(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        func raise(_ process: String, after last: Int64? = nil, at milliseconds: Int64) async throws -> Int64? {
            try await database.write(isolation: .guardedStatement) {
                try DatabaseMarks.raise(process, after: last, now: Timestamp(milliseconds: milliseconds), on: $0)
            }
        }
        #expect(try await raise("a", at: 1000) == 1000)
        #expect(try await raise("a", at: 900) == 1001)
        #expect(try await raise("a", at: 10_000) == 10_000)
        #expect(try await raise("b", at: 2000) == 2000)
        // A database that lacks the last mark gets no new one, which would hide that.
        #expect(try await raise("b", after: 2001, at: 3000) == nil)
        #expect(try await raise("none", after: 1, at: 3000) == nil)
        #expect(try await raise("b", after: 2000, at: 1000) == 2001)
        #expect(try await raise("b", after: 2000, at: 2500) == 2500)
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        #expect(found.marks == ["a": 10_000, "b": 2500])
        try await database.write { try DatabaseMarks.removeMarks(before: Timestamp(milliseconds: 5000), on: $0) }
        #expect(try await database.read { try DatabaseMarks.read(on: $0).marks } == ["a": 10_000])
        for (index, process) in ["b", "c", "d"].enumerated() { _ = try await raise(process, at: Int64(index) + 1) }
        try await database.write {
            try DatabaseMarks.removeMarks(before: Timestamp(milliseconds: 2), keeping: 3, on: $0)
        }
        #expect(try await database.read { try DatabaseMarks.read(on: $0).marks } == ["a": 10_000, "c": 2, "d": 3])
        try await database.write {
            try DatabaseMarks.removeMarks(before: Timestamp(milliseconds: 0), keeping: 1, on: $0)
        }
        #expect(try await database.read { try DatabaseMarks.read(on: $0).marks } == ["a": 10_000])
    }

    @Test(
        "A database has one identity, the epoch of its last restore, and a sign of one that is pending",
        arguments: EngineUnderTest.all)
    func identity(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        #expect(try await database.read { try DatabaseMarks.read(on: $0) } == DatabaseMarks(database: nil, epoch: 0))
        for name in ["first", "second"] {
            #expect(try await database.write { try DatabaseMarks.establish(name, on: $0) } == "first")
        }
        try await database.write { connection in
            try Meta.set(DatabaseMarks.epochName, to: "7", on: connection)
            try connection.execute(PendingRestore.marking, [])
        }
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        #expect(found == DatabaseMarks(database: "first", epoch: 7, isRestorePending: true))
    }

    @Test("A database that is up to date is migrated without a write", arguments: EngineUnderTest.all)
    func withoutWrite(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let readOnly = ReadOnlyDatabase(database: database)
        #expect(try await Schema.migrate(readOnly, now: .start).from == Schema.newest)
        await #expect(throws: StoreError.self) {
            try await readOnly.write { try Meta.set("name", to: "value", on: $0) }
        }
    }

    /// A role that may only read.
    private struct ReadOnlyDatabase: Database {
        let database: any Database

        func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
            try await database.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
            throw StoreError(.accessDenied, "a write")
        }
    }
}
