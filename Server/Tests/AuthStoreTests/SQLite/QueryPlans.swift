import GRDB
import Kernel
import Operations
import Store
import StoreSQLite
import Testing

@Suite struct QueryPlans {
    private static func plan(of statement: String, arguments count: Int) async throws -> [String] {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, now: .start)
        await database.close()
        return try await DatabaseQueue(path: scratch.database).read { connection in
            let none: [String: (any DatabaseValueConvertible)?] = Dictionary(
                uniqueKeysWithValues: (1...count).map { ("\($0)", nil) })
            return try Row.fetchAll(
                connection, sql: "EXPLAIN QUERY PLAN \(statement)", arguments: StatementArguments(none)
            )
            .map { row in row["detail"] as String }
        }
    }

    @Test("The sessions of a person who signs in are counted in an index alone, and in its order")
    func countingSessions() async throws {
        let plan = try await Self.plan(of: Sessions.counting, arguments: 2)
        #expect(plan.count == 1)
        #expect(
            plan.first?.hasPrefix("SEARCH sessions USING COVERING INDEX sessions_by_account_and_reason (account_id=?")
                == true, "\(plan)")
    }

    @Test("The operators' calls about a person are found in an index, however many concern others")
    func calls() async throws {
        let plan = try await Self.plan(of: AuditChains.calls, arguments: 6)
        #expect(plan.count == 1)
        #expect(
            plan.first?.hasPrefix(
                "SEARCH security_events USING INDEX security_events_by_subject (chain=? AND about=? AND seq>?") == true,
            "\(plan)")
    }

    @Test("An event finds its receivers by indexes, and a process finds the events that it takes by their ids")
    func webhooks() async throws {
        let writing = try await Self.plan(of: BackendEvent.writing, arguments: 12)
        #expect(!writing.contains { $0.hasPrefix("SCAN") }, "\(writing)")
        // However many events wait, it looks at those of a window.
        for statement in [WebhookDeliveries.taking, WebhookDeliveries.takingNewest] {
            let taking = try await Self.plan(of: statement, arguments: 5)
            let searched = "SEARCH webhook_deliveries USING PRIMARY KEY (event_id=?"
            #expect(taking.first?.hasPrefix(searched) == true, "\(taking)")
            #expect(
                taking.contains { $0.hasPrefix("SEARCH d USING") && $0.contains("webhook_deliveries_by_due") },
                "\(taking)")
        }
    }

    @Test("attack: an event that waits behind thousands of one person's finds the first of them in an index")
    func blockedWebhooks() async throws {
        let plan = try await Self.plan(of: WebhookDeliveries.postponingBlocked, arguments: 4)
        #expect(plan.first?.hasPrefix("SEARCH webhook_deliveries USING PRIMARY KEY (event_id=?") == true, "\(plan)")
        let looked = plan.filter { $0.hasPrefix("SEARCH h ") }
        #expect(looked.count == 2, "\(plan)")
        let index = "webhook_deliveries_by_subject (endpoint_id=? AND subject=?"
        #expect(looked.allSatisfy { $0.contains(index) }, "\(plan)")
        #expect(!plan.contains { ["SCAN webhook_deliveries", "SCAN d"].contains($0) }, "\(plan)")
    }

    @Test(
        "The merchants of a directory's client are listed and counted in an index, in its order, however many others there are",
        arguments: [(Merchants.listing, 4), (Merchants.counting, 2)])
    func merchants(statement: String, arguments count: Int) async throws {
        let plan = try await Self.plan(of: statement, arguments: count)
        let index = "SEARCH merchant_clients USING COVERING INDEX merchant_clients_by_client (client_id=?"
        #expect(plan.contains { $0.hasPrefix(index) }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN merchant") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }

    @Test(
        "attack: a thousand sessions of one key cost one pass over them, not one for each",
        arguments: [Sessions.knowing, Sessions.linking])
    func sessionsOfOneKey(statement: String) async throws {
        let plan = try await Self.plan(of: statement, arguments: 4)
        // What is asked again for each session is its account, by its key.
        let correlated = plan.indices.filter { plan[$0].hasPrefix("CORRELATED") }.map { plan[$0 + 1] }
        #expect(!correlated.isEmpty)
        #expect(correlated.allSatisfy { $0.hasPrefix("SEARCH a ") }, "\(plan)")
    }
}
