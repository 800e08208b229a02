import Store
import Testing

@Suite(.covers("a database or backup of an older program is refused")) struct Migrations {
    let scratch: Scratch

    private let newest = Schema.newest

    init() throws { scratch = try Scratch() }

    @Test("The migrations are numbered without a gap, so that none is ever left out")
    func numbered() {
        #expect(Schema.migrations.map(\.version) == Array(Migration.initial.version...newest))
    }

    @Test("Migrating twice, and from many sides at once, applies each step once", arguments: EngineUnderTest.all)
    func idempotent(engine: EngineUnderTest) async throws {
        let database = try await engine.open(scratch)
        let reports = try await concurrently(8) { _ in try await Schema.migrate(database, now: .start) }
        #expect(reports.allSatisfy { $0.to == newest })
        let again = try await Schema.migrate(database, now: .start)
        #expect(again == Schema.Report(from: newest, to: newest))
        let applied = try await database.read {
            try $0.query("SELECT version, name FROM schema_migrations", []).map(\.values)
        }
        #expect(applied == Schema.migrations.map { [.integer($0.version), .text($0.name)] })
    }

    @Test("A database of a newer program is refused and left as it is", arguments: EngineUnderTest.all)
    func newer(engine: EngineUnderTest) async throws {
        let database = try await engine.open(scratch)
        let future = Migration(
            version: newest + 1, name: "future", statements: ["CREATE TABLE future (id BIGINT PRIMARY KEY)"])
        try await Schema.migrate(database, with: Schema.migrations + [future], now: .start)
        do {
            try await Schema.migrate(database, now: .start)
            Issue.record("a newer schema was accepted")
        } catch let error as StoreError {
            #expect(error.code == .newerSchema)
            #expect(error.reason.contains("schema \(newest + 1)"))
        }
        let version = try await database.read { try Schema.version(on: $0) }
        #expect(version == newest + 1)
    }

    @Test(
        "A database of an older program is refused with what to do, and left as it is", arguments: EngineUnderTest.all)
    func older(engine: EngineUnderTest) async throws {
        let database = try await engine.open(scratch)
        try await Schema.migrate(database, with: [.initial], now: .start)
        let oldest = Migration.initial.version
        try await database.write {
            _ = try $0.execute("UPDATE schema_migrations SET version = $1", [.integer(oldest - 1)])
        }
        let error = await #expect(throws: StoreError.self) { try await Schema.migrate(database, now: .start) }
        #expect(error?.code == .olderSchema)
        #expect(error?.reason.contains("schema \(oldest - 1)") == true)
        #expect(error?.reason.contains("begin with a new database") == true)
        let version = try await database.read { try Schema.version(on: $0) }
        #expect(version == oldest - 1)
    }

    @Test("A migration that fails half way leaves the version before it", arguments: EngineUnderTest.all)
    func atomic(engine: EngineUnderTest) async throws {
        let database = try await engine.open(scratch)
        let broken = Migration(
            version: newest + 1, name: "broken",
            statements: ["CREATE TABLE half (id BIGINT NOT NULL PRIMARY KEY)", "CREATE TABLE half (nonsense"])
        await #expect(throws: StoreError.self) {
            try await Schema.migrate(database, with: Schema.migrations + [broken], now: .start)
        }
        let version = try await database.read { try Schema.version(on: $0) }
        #expect(version == newest)
        let corrected = Migration(
            version: newest + 1, name: "corrected", statements: ["CREATE TABLE half (id BIGINT NOT NULL PRIMARY KEY)"])
        let report = try await Schema.migrate(database, with: Schema.migrations + [corrected], now: .start)
        #expect(report == Schema.Report(from: newest, to: newest + 1))
    }
}
