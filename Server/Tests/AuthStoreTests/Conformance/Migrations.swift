import AuthCore
import AuthStore
import Testing

@Suite struct Migrations {
    let scratch: Scratch

    /// The version that the program's own migrations lead to.
    private let newest = Int64(Schema.migrations.count)

    init() throws { scratch = try Scratch() }

    @Test("The migrations are numbered from 1 without a gap, so that none is ever left out")
    func numbered() {
        #expect(Schema.migrations.map(\.version) == Array(1...newest))
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
        let mended = Migration(
            version: newest + 1, name: "mended", statements: ["CREATE TABLE half (id BIGINT NOT NULL PRIMARY KEY)"])
        let report = try await Schema.migrate(database, with: Schema.migrations + [mended], now: .start)
        #expect(report == Schema.Report(from: newest, to: newest + 1))
    }

    @Test(
        "Operations of an earlier version are not said to be of the present issuer, and stay readable",
        arguments: EngineUnderTest.all)
    func operationIssuers(engine: EngineUnderTest) async throws {
        let database = try await engine.open(scratch)
        let earlier = Schema.migrations.filter { $0.version < Migration.operationIssuers.version }
        try await Schema.migrate(database, with: earlier, now: .start)
        try await database.write { connection in
            try Meta.set("issuer", to: "https://auth.example.com", on: connection)
            try connection.execute(
                "INSERT INTO brands (id, name, settings, created_at) VALUES ('default', 'Default', '{}', 0)", [])
            try connection.execute(
                """
                INSERT INTO accounts (id, brand_id, state, security_version, password_state, email_state, created_at)
                VALUES ($1, 'default', 'active', 1, 'none', 'none', 0)
                """, [.id(Sample.account)])
            try connection.execute(
                """
                INSERT INTO wallet_operations (event_id, client_id, operation_id, account_id, session_id, type, sealed,
                    decision, findings, state, failed, sends, revision, created_at, expires_at, kept_until)
                VALUES ($1, 'shop', 'op-1', $2, $3, 'TRANSFER', $4, 'required', '[]', 'open', 0, 0, 1, 0, 1, 2)
                """, [.id(Sample.id(1)), .id(Sample.account), .id(Sample.session), .blob([1])])
        }
        try await Schema.migrate(database, now: .start)
        let record = try await database.read { try WalletOperations.find("op-1", client: "shop", on: $0) }
        let found = try #require(record)
        #expect(found.issuer == nil)
    }
}
