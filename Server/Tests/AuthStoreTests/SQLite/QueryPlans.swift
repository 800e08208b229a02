import AuthCore
import AuthStore
import AuthStoreSQLite
import GRDB
import Testing

@Suite struct QueryPlans {
    @Test(
        "attack: a thousand sessions of one key cost one pass over them, not one for each",
        arguments: [Sessions.knowing, Sessions.linking])
    func sessionsOfOneKey(statement: String) async throws {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, now: .start)
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
