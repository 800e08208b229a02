import AuthCore
import AuthStore
import GRDB
import Testing

@testable import AuthStoreSQLite

@Suite struct Lookups {
    private struct Refusal: Error, Equatable {}

    private static func open(_ scratch: Scratch, lookUps: Int = 4) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: scratch.database, options: SQLiteOptions(lookUps: lookUps))
        try await Schema.migrate(database, now: .start)
        return database
    }

    @Test("A lookup sees what was acknowledged before it, however many run at once", arguments: [0, 1, 4])
    func acknowledged(lookUps: Int) async throws {
        let scratch = try Scratch()
        let database = try await Self.open(scratch, lookUps: lookUps)
        let seen = try await concurrently(256) { number -> Bool in
            try await database.write { try Meta.set("name-\(number)", to: "value", on: $0) }
            return try await database.lookUp { try Meta.value("name-\(number)", on: $0) } == "value"
        }
        #expect(seen.allSatisfy { $0 })
        await database.close()
    }

    @Test("A lookup that throws says what its body threw, and the next one reads as ever")
    func thrown() async throws {
        let scratch = try Scratch()
        let database = try await Self.open(scratch)
        await #expect(throws: Refusal()) { try await database.lookUp { _ in throw Refusal() } }
        await #expect(throws: StoreError.self) { try await database.lookUp { try $0.query("SELECT nothing", []) } }
        let version = try await database.lookUp { try Schema.version(on: $0) }
        #expect(version > 0)
        await database.close()
    }

    @Test("A lookup changes nothing")
    func readOnly() async throws {
        let scratch = try Scratch()
        let database = try await Self.open(scratch)
        await #expect(throws: StoreError.self) {
            try await database.lookUp { try Meta.set("name", to: "value", on: $0) }
        }
        #expect(try await database.read { try Meta.value("name", on: $0) } == nil)
        await database.close()
    }

    @Test("Closing waits for the lookups under way, and later ones are told that the database is closed")
    func closing() async throws {
        let scratch = try Scratch()
        let database = try await Self.open(scratch)
        try await database.write { try Meta.set("name", to: "value", on: $0) }
        let answers = await withTaskGroup(of: Result<String?, any Error>.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number == 100 { await database.close() }
                    do { return .success(try await database.lookUp { try Meta.value("name", on: $0) }) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for answer in answers {
            switch answer {
            case .success(let value): #expect(value == "value")
            case .failure(let error): #expect((error as? StoreError)?.code == .closed)
            }
        }
        await #expect(throws: StoreError.self) { try await database.lookUp { try Schema.version(on: $0) } }
        // The file is free for another owner.
        let next = try SQLiteDatabase.open(path: scratch.database)
        #expect(try await next.lookUp { try Meta.value("name", on: $0) } == "value")
        await next.close()
    }

    @Test(
        "attack: a thousand sessions of one key cost one pass over them, not one for each",
        arguments: [Sessions.knowing, Sessions.linking])
    func sessionsOfOneKey(statement: String) async throws {
        let scratch = try Scratch()
        let database = try await Self.open(scratch)
        await database.close()
        let plan = try await DatabaseQueue(path: scratch.database).read { connection in
            let none: [String: (any DatabaseValueConvertible)?] = ["1": nil, "2": nil, "3": nil, "4": nil]
            return try Row.fetchAll(
                connection, sql: "EXPLAIN QUERY PLAN \(statement)", arguments: StatementArguments(none)
            )
            .map { row in row["detail"] as String }
        }
        // What is asked again for each session is its account, by its key.
        let correlated = plan.indices.filter { plan[$0].hasPrefix("CORRELATED") }.map { plan[$0 + 1] }
        #expect(!correlated.isEmpty)
        #expect(correlated.allSatisfy { $0.hasPrefix("SEARCH a ") }, "\(plan)")
    }
}
