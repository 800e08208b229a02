import Core
import Kernel
import Store
import Testing

@Suite(.threat("Restored databases")) struct RestoreEffects {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("Every table says in the schema, once, what a restore does to its rows", arguments: EngineUnderTest.all)
    func declared(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let tables = try await engine.tables(database).subtracting(["schema_migrations"])
        let declared = Schema.restoreEffects.map(\.table)
        for table in tables.subtracting(declared).sorted() {
            Issue.record("\(table) does not say what a restore does to its rows: add it to its flow's `restoring:`")
        }
        for table in Set(declared).subtracting(tables).sorted() { Issue.record("there is no table \(table)") }
        #expect(Set(declared).count == declared.count)
    }

    @Test("A restore reaches every row, however small its pages are", arguments: EngineUnderTest.all)
    func pages(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        try await database.write { connection in
            for number in 1...6 { _ = try Sessions.open(Sample.newSession(Sample.id(number)), on: connection) }
        }
        let now = Timestamp.start + .minutes(1)
        for (table, effect) in Schema.restoreEffects {
            try await effect.apply(to: table, in: database, now: now, coolingUntil: now + .hours(24), batch: 2)
        }
        let living = try await database.read {
            try $0.query("SELECT id FROM sessions WHERE revoked_at IS NULL OR revoked_at <> $1", [.time(now)]).count
        }
        #expect(living == 0)
        let version = try await database.read { try Accounts.find(Sample.account, on: $0)?.securityVersion }
        #expect(version == 4_294_967_297)
    }
}
