import Store
import Testing

/// The rules of ``Store/WriteIsolation/guardedStatement`` that hold on every engine.
@Suite struct GuardedBodies {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let insertion = "INSERT INTO meta (name, value) VALUES ($1, 'value')"

    @Test(
        "A second statement that changes rows is refused, and what it would have written is not there",
        arguments: EngineUnderTest.all)
    func secondChange(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let changes: [@Sendable (any SQLConnection) throws -> Void] = [
            { _ = try $0.execute(Self.insertion, ["second"]) },
            { _ = try $0.query("\(Self.insertion) RETURNING name", ["second"]) },
            { _ = try $0.execute("DELETE FROM meta WHERE name = $1", ["no such name"]) },
            { try $0.define("CREATE TABLE second (id BIGINT NOT NULL PRIMARY KEY)") },
        ]
        for (number, change) in changes.enumerated() {
            let error = await #expect(throws: StoreError.self) {
                try await database.write(isolation: .guardedStatement) { connection in
                    _ = try connection.query("\(Self.insertion) RETURNING name", [.text("first-\(number)")])
                    try change(connection)
                }
            }
            #expect(error?.code == .statement)
        }
        #expect(try await database.read { try Meta.value("second", on: $0) } == nil)
        #expect(try await !engine.tables(database).contains("second"))
    }

    @Test(
        "A statement that matched no row may be followed by reads and by another that changes some",
        arguments: EngineUnderTest.all)
    func nothingMatched(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { try Meta.set("name", to: "old", on: $0) }
        let found = try await database.write(isolation: .guardedStatement) { connection in
            let none = try connection.row(
                "UPDATE meta SET value = 'lost' WHERE name = 'name' AND value = $1 RETURNING value", ["other"])
            #expect(none == nil)
            #expect(try connection.execute("DELETE FROM meta WHERE name = $1", ["missing"]) == 0)
            let value = try Meta.value("name", on: connection)
            #expect(value == "old")
            let changed = try connection.execute(
                "UPDATE meta SET value = 'new' WHERE name = 'name' AND value = $1", [.optional(value)])
            #expect(changed == 1)
            return try Meta.value("name", on: connection)
        }
        #expect(found == "new")
        #expect(try await database.read { try Meta.value("name", on: $0) } == "new")
    }

    @Test("A body that throws before it changes anything gets its own error", arguments: EngineUnderTest.all)
    func throwsBefore(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        await #expect(throws: SQLTransactions.Refusal(number: 1)) {
            try await database.write(isolation: .guardedStatement) { connection -> Void in
                _ = try Meta.value("name", on: connection)
                throw SQLTransactions.Refusal(number: 1)
            }
        }
        #expect(try await database.write(isolation: .guardedStatement) { try Meta.value("name", on: $0) } == nil)
    }
}
